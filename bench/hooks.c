/*
 * hooks - makes a hooked call N times; bench/hooks.py counts the instructions
 * of one call.
 *
 *     hooks OPERATION N
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void allocate(long n)
{
    for (long i = 0; i < n; i++) {
        void *volatile block = malloc(64);

        free(block);
    }
}

/* C++'s operators new and sized delete, looked up as in a program. */
static void make_new(long n)
{
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_GLOBAL);
    void *take = dlsym(RTLD_DEFAULT, "_Znwm");
    void *give = dlsym(RTLD_DEFAULT, "_ZdlPvm");
    void *(*call_new)(size_t);
    void (*call_delete)(void *, size_t);

    if (!library || !take || !give)
        exit(1);
    memcpy(&call_new, &take, sizeof(take));
    memcpy(&call_delete, &give, sizeof(give));
    for (long i = 0; i < n; i++) {
        void *volatile block = call_new(64);

        call_delete(block, 64);
    }
}

static void lock(long n)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

    for (long i = 0; i < n; i++) {
        (void)pthread_mutex_lock(&mutex);
        (void)pthread_mutex_unlock(&mutex);
    }
}

/* The lock is held, and the deadline has passed. */
static void lock_busy(long n)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    struct timespec past = { -1, 0 };

    (void)pthread_mutex_lock(&mutex);
    for (long i = 0; i < n; i++)
        (void)pthread_mutex_timedlock(&mutex, &past);
}

static void read_nothing(long n)
{
    char byte;

    for (long i = 0; i < n; i++)
        (void)!read(-1, &byte, 1);
}

int main(int argc, char **argv)
{
    long n = argc > 2 ? atol(argv[2]) : 0;

    if (argc < 3) {
        (void)fprintf(stderr, "usage: hooks malloc|new|lock|busy|read N\n");
        return 2;
    }
    if (strcmp(argv[1], "malloc") == 0)
        allocate(n);
    else if (strcmp(argv[1], "new") == 0)
        make_new(n);
    else if (strcmp(argv[1], "lock") == 0)
        lock(n);
    else if (strcmp(argv[1], "busy") == 0)
        lock_busy(n);
    else
        read_nothing(n);
    return 0;
}
