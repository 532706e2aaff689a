/*
 * fork_exit N LIBRARY... - forks N times while one thread per library loads and
 * unloads it; each child calls exit. Prints how many children hung in exit;
 * stops at the third.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS 20 /* exit normally takes a millisecond */
#define ENOUGH 3

static _Atomic int is_over;

static void *load(void *path)
{
    while (!is_over) {
        void *library = dlopen(path, RTLD_NOW);

        if (!library || dlclose(library) != 0)
            abort();
    }
    return NULL;
}

static int hangs(void)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        alarm(SECONDS);
        exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        abort();
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int n_hung = 0;

    for (int i = 2; i < argc; i++)
        if (pthread_create(&thread, NULL, load, argv[i]) != 0)
            abort();
    for (int i = atoi(argv[1]); i > 0 && n_hung < ENOUGH; i--)
        n_hung += hangs();
    is_over = 1;
    printf("%d\n", n_hung);
    (void)fflush(stdout);
    _exit(0);
}
