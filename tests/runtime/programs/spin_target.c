/*
 * spin_target - more threads than cores, which compute while they hold one
 * lock, for tests/cli/locks.
 *
 * Prints "mutex SHORTEST LONGEST" and "block SHORTEST LONGEST" in nanoseconds
 * of its own clock. For mutex, these are the waits until the previous holder
 * began and finished its unlock; for block, the end is the waiter's return.
 * Then it writes both profiles into the given folder.
 */
#include <cpprof.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4
#define EACH 1000
#define HOLD_NS 100000

struct turn {
    int64_t wanted, had, lets_go, has_let_go;
};

static struct turn turns[THREADS][EACH];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int64_t now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void compute(int64_t ns)
{
    int64_t end = now_ns() + ns;

    while (now_ns() < end)
        ;
}

__attribute__((noinline)) static void take_turn(struct turn *t)
{
    t->wanted = now_ns();
    (void)pthread_mutex_lock(&mutex);
    t->had = now_ns();
    compute(HOLD_NS);
    t->lets_go = now_ns();
    (void)pthread_mutex_unlock(&mutex);
    t->has_let_go = now_ns();
}

static void *take_turns(void *arg)
{
    struct turn *mine = arg;
    unsigned random = (unsigned)(mine - turns[0]);

    for (int i = 0; i < EACH; i++) {
        take_turn(&mine[i]);
        random = random * 1103515245 + 12345;
        compute((random >> 8) % HOLD_NS);
    }
    return NULL;
}

static int by_had(const void *a, const void *b)
{
    int64_t x = ((const struct turn *)a)->had,
            y = ((const struct turn *)b)->had;

    return x < y ? -1 : x > y;
}

static void say(void)
{
    struct turn *t = turns[0];
    int64_t begun = 0, done = 0, whole = 0;

    qsort(t, THREADS * EACH, sizeof(*t), by_had);
    for (int i = 1; i < THREADS * EACH; i++) {
        if (t[i].wanted >= t[i - 1].lets_go)
            continue;
        begun += t[i - 1].lets_go - t[i].wanted;
        done += t[i - 1].has_let_go - t[i].wanted;
        whole += t[i].had - t[i].wanted;
    }
    printf("mutex %lld %lld\nblock %lld %lld\n", (long long)begun,
           (long long)done, (long long)whole, (long long)whole);
}

static int save(const char *kind, const char *folder)
{
    char path[4096];
    int fd;

    (void)snprintf(path, sizeof(path), "%s/%s.pb.gz", folder, kind);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return fd < 0 || cpprof_write(kind, 0, fd) != 0 || close(fd) != 0;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];

    if (argc != 2)
        return 2;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, take_turns, turns[i]) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join(threads[i], NULL);
    say();
    return save("mutex", argv[1]) || save("block", argv[1]);
}
