/*
 * namespaces_target.c - calls whose result depends on the number of threads;
 * see namespaces_calls. Reads commands from stdin, one a line, and prints the
 * result and errno of each.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int join_namespace(const char *name, int type)
{
    char path[64];
    int fd, result, number;

    snprintf(path, sizeof(path), "/proc/self/ns/%s", name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    result = setns(fd, type);
    number = errno;
    close(fd);
    errno = number;
    return result;
}

static void *wait_for_ever(void *arg)
{
    pause();
    return arg;
}

static int result_of(pid_t pid)
{
    int status = 0;

    waitpid(pid, &status, 0);
    errno = WEXITSTATUS(status);
    return errno ? -1 : 0;
}

static int in_fork(void)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(unshare(CLONE_NEWUSER) == 0 ? 0 : errno);
    return result_of(pid);
}

static int in_vfork(void)
{
    pid_t pid = vfork();

    if (pid == 0)
        _exit(unshare(CLONE_NEWUSER) == 0 ? 0 : errno);
    return result_of(pid);
}

static int obey(const char *word)
{
    pthread_t thread;

    if (strcmp(word, "user") == 0)
        return unshare(CLONE_NEWUSER);
    if (strcmp(word, "user by number") == 0)
        return (int)syscall(SYS_unshare, CLONE_NEWUSER);
    if (strcmp(word, "memory") == 0)
        return unshare(CLONE_VM);
    if (strcmp(word, "thread") == 0)
        return unshare(CLONE_THREAD);
    if (strcmp(word, "files") == 0)
        return unshare(CLONE_FILES);
    if (strcmp(word, "user and pid") == 0)
        return unshare(CLONE_NEWUSER | CLONE_NEWPID);
    if (strcmp(word, "join user") == 0)
        return join_namespace("user", CLONE_NEWUSER);
    if (strcmp(word, "join mount") == 0)
        return join_namespace("mnt", CLONE_NEWNS);
    if (strcmp(word, "join any") == 0)
        return join_namespace("mnt", 0);
    if (strcmp(word, "join time") == 0)
        return join_namespace("time", 0x80);
    if (strcmp(word, "join nothing") == 0)
        return setns(-1, 0);
    if (strcmp(word, "fork") == 0)
        return in_fork();
    if (strcmp(word, "vfork") == 0)
        return in_vfork();
    if (strcmp(word, "another thread") == 0)
        return pthread_create(&thread, NULL, wait_for_ever, NULL);
    return -2;
}

int main(void)
{
    char line[64];

    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin)) {
        int result;

        line[strcspn(line, "\n")] = '\0';
        errno = 0;
        result = obey(line);
        printf("%d %d\n", result, result < 0 ? errno : 0);
        fflush(stdout);
    }
    return 7;
}
