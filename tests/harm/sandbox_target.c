/*
 * sandbox_target.c - a program under a seccomp filter; see sandbox_filters.
 *
 *   exec FILTER PROGRAM ...        installs the filter, then runs the program
 *   run MODE FILTER                executes the commands on stdin, one byte
 * each: w  works (memory, threads, locks, output) and writes a line f  installs
 * the filter; MODE: prctl, tsync, strict, none e  exits with status 7, as at
 * the end of the input
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAX_FILTER 4096

static struct sock_filter filter[MAX_FILTER];
static struct sock_fprog program = { .filter = filter };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int stop;
static int is_strict;

static void read_filter(const char *path)
{
    FILE *f = fopen(path, "rb");

    program.len =
        f ? (unsigned short)fread(filter, sizeof(*filter), MAX_FILTER, f) : 0;
    if (f)
        fclose(f);
}

static void install(const char *mode)
{
    long failed = 0;

    if (strcmp(mode, "none") == 0)
        return;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        _exit(3);
    if (strcmp(mode, "prctl") == 0)
        failed = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
    else if (strcmp(mode, "tsync") == 0)
        failed = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                         SECCOMP_FILTER_FLAG_TSYNC, &program);
    else
        failed = prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
    if (failed)
        _exit(4);
    is_strict = strcmp(mode, "strict") == 0;
}

/* Gives profiles something to show: computes, locks and allocates. */
static void *compute(void *arg)
{
    while (!stop) {
        volatile char *p = malloc(100000);

        for (int i = 0; p && i < 100000; i++)
            p[i] = (char)i;
        free((void *)p);
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *join_in(void *arg)
{
    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(&lock);
        free(malloc(5000));
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void say(const char *text)
{
    ssize_t n = write(STDOUT_FILENO, text, strlen(text));

    (void)n;
}

static void work(void)
{
    static char *kept[2000];
    pthread_t threads[3];

    if (is_strict) {
        say("worked\n");
        return;
    }
    for (int i = 0; i < 2000; i++) {
        free(kept[i]);
        kept[i] = malloc(600 + (size_t)i);
    }
    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, join_in, NULL) != 0)
            say("no thread\n");
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
    say("worked\n");
}

static void end(void)
{
    if (is_strict)
        syscall(SYS_exit, 7);
    exit(7);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    char word;

    if (argc > 3 && strcmp(argv[1], "exec") == 0) {
        read_filter(argv[2]);
        install("prctl");
        execv(argv[3], argv + 3);
        return 127;
    }
    if (argc < 4)
        return 2;
    read_filter(argv[3]);
    if (strcmp(argv[2], "strict") != 0)
        pthread_create(&thread, NULL, compute, NULL);
    say("ready\n");
    while (read(STDIN_FILENO, &word, 1) == 1 && word != 'e') {
        if (word == 'w')
            work();
        else if (word == 'f')
            install(argv[2]);
    }
    end();
}
