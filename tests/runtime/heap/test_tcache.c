/*
 * test_tcache - freed blocks in a thread's tcache are found as long as the
 * thread sleeps, and no other blocks.
 */
#include "runtime/heap/tcache.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

#define N 5
#define SIZE 200

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool is_libc = false; /* another malloc */
#elif defined(__x86_64__) && defined(__GLIBC__)
static const bool is_libc = true;
#else
static const bool is_libc = false;
#endif

static struct {
    sem_t is_ready, goes_on;
    pid_t tid;
    uintptr_t kept, freed[N];
} sleeper;

/* Frees all blocks but one and sleeps; then allocates one and sleeps again. */
static void *sleep_with_freed(void *arg)
{
    void *blocks[N], *between[N], *kept = malloc(SIZE);

    cp_leak_stacks_register((uintptr_t)&blocks);
    for (size_t i = 0; i < N; i++) {
        blocks[i] = malloc(SIZE);
        between[i] = malloc(2 * SIZE);
    }
    for (size_t i = 0; i < N; i++) {
        sleeper.freed[i] = (uintptr_t)blocks[i];
        free(blocks[i]);
    }
    sleeper.kept = (uintptr_t)kept;
    sleeper.tid = (pid_t)syscall(SYS_gettid);
    (void)sem_post(&sleeper.is_ready);
    (void)sem_wait(&sleeper.goes_on);
    blocks[0] = malloc(SIZE); /* returns the block freed last */
    (void)sem_post(&sleeper.is_ready);
    (void)sem_wait(&sleeper.goes_on);
    free(blocks[0]);
    free(kept);
    for (size_t i = 0; i < N; i++)
        free(between[i]);
    return arg;
}

static char state_of(pid_t tid)
{
    char path[64], line[256] = "", *end;
    FILE *f;

    (void)snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
    f = fopen(path, "r");
    if (!f)
        return 'S';
    end = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
    (void)fclose(f);
    return end ? end[2] : 'S';
}

/* The thread posts is_ready before it sleeps, so wait until it does. */
static void read_asleep(struct cp_tcache *c)
{
    while (state_of(sleeper.tid) != 'S')
        (void)sched_yield();
    cp_tcache_read(c);
}

static void test_thread(void)
{
    struct cp_tcache *c = cp_tcache_new();
    pthread_t thread;

    CHECK(c != NULL);
    CHECK_INT(sem_init(&sleeper.is_ready, 0, 0), 0);
    CHECK_INT(sem_init(&sleeper.goes_on, 0, 0), 0);
    CHECK_INT(pthread_create(&thread, NULL, sleep_with_freed, NULL), 0);
    (void)sem_wait(&sleeper.is_ready);
    read_asleep(c);
    for (size_t i = 0; i < N; i++) {
        CHECK(cp_tcache_contains(c, sleeper.freed[i]));
        CHECK(cp_tcache_contains(c, sleeper.freed[i] + SIZE - 8));
        CHECK(!cp_tcache_contains(c, sleeper.freed[i] - 16));
        CHECK(!cp_tcache_contains(c, sleeper.freed[i] + SIZE + 16));
    }
    CHECK(!cp_tcache_contains(c, sleeper.kept));
    CHECK(!cp_tcache_contains(c, sleeper.kept + 16));

    /* The thread has run: its blocks count as in use until read again. */
    (void)sem_post(&sleeper.goes_on);
    (void)sem_wait(&sleeper.is_ready);
    for (size_t i = 0; i < N; i++)
        CHECK(!cp_tcache_contains(c, sleeper.freed[i] + 16));
    read_asleep(c);
    CHECK(cp_tcache_contains(c, sleeper.freed[0] + 16));
    CHECK(!cp_tcache_contains(c, sleeper.freed[N - 1] + 16));
    (void)sem_post(&sleeper.goes_on);
    (void)pthread_join(thread, NULL);
    cp_tcache_read(c);
    CHECK(!cp_tcache_contains(c, sleeper.freed[0] + 16));
    cp_tcache_free(c);
}

static void test_empty(void)
{
    struct cp_tcache *c = cp_tcache_new();

    CHECK(!cp_tcache_contains(NULL, 16));
    CHECK(c && !cp_tcache_contains(c, 0));
    cp_tcache_read(NULL);
    cp_tcache_free(c);
    cp_tcache_free(NULL);
}

int main(void)
{
    cp_tcache_detect();
    RUN(test_empty);
    if (is_libc)
        RUN(test_thread);
    return check_failures != 0;
}
