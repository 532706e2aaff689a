/*
 * trace_known - threads with a known number of events, for
 * bench/trace_known.py.
 *
 *     trace_known THREADS ROUNDS FILE
 *
 * The program traces itself into FILE. Each thread has its own condition, pipe
 * and socket pair. In each round it sleeps for a microsecond and writes and
 * reads a byte of the pipe. In every eighth round it also waits for its
 * condition, which always times out, and polls a silent socket for a
 * millisecond. Prints a line for each kind: its name, its count, and the
 * minimal time in ns of all threads together.
 */
#include <cpprof.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS 1024

static _Atomic long n_sleeps, n_conds, n_polls, n_reads, n_writes;
static _Atomic long sleep_ns, cond_ns, poll_ns;
static long n_rounds;
static pthread_barrier_t all_there;

static long now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

__attribute__((noinline)) static void known_sleep(void)
{
    struct timespec span = { 0, 1000 };
    long begin = now_ns();

    (void)nanosleep(&span, NULL);
    sleep_ns += now_ns() - begin;
    n_sleeps++;
}

__attribute__((noinline)) static void known_pipe(const int *ends)
{
    char byte = 0;

    if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1)
        abort();
    n_writes++;
    n_reads++;
}

__attribute__((noinline)) static void known_cond(pthread_mutex_t *lock,
                                                 pthread_cond_t *cond)
{
    struct timespec t;
    long begin;

    (void)clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    (void)pthread_mutex_lock(lock);
    begin = now_ns();
    (void)pthread_cond_timedwait(cond, lock, &t);
    cond_ns += now_ns() - begin;
    n_conds++;
    (void)pthread_mutex_unlock(lock);
}

__attribute__((noinline)) static void known_poll(int fd)
{
    struct pollfd one = { .fd = fd, .events = POLLIN };
    long begin = now_ns();

    if (poll(&one, 1, 1) != 0)
        abort();
    poll_ns += now_ns() - begin;
    n_polls++;
}

static void *work(void *arg)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    int ends[2], sockets[2];

    if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0)
        abort();
    (void)pthread_barrier_wait(&all_there);
    for (long i = 0; i < n_rounds; i++) {
        known_sleep();
        known_pipe(ends);
        if (i % 8 == 0) {
            known_cond(&lock, &cond);
            known_poll(sockets[0]);
        }
    }
    return arg;
}

int main(int argc, char **argv)
{
    static pthread_t threads[MAX_THREADS];
    unsigned n = argc > 3 ? (unsigned)atoi(argv[1]) : 0;
    int fd = n ? open(argv[3], O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    struct cpprof_profile *trace;

    if (n == 0 || n > MAX_THREADS || fd < 0)
        return 2;
    n_rounds = atol(argv[2]);
    (void)pthread_barrier_init(&all_there, NULL, n + 1);
    trace = cpprof_start("trace");
    for (unsigned i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            return 1;
    (void)pthread_barrier_wait(&all_there);
    for (unsigned i = 0; i < n; i++)
        (void)pthread_join(threads[i], NULL);
    if (cpprof_stop(trace, fd) != 0 || close(fd) != 0) {
        (void)fprintf(stderr, "%s\n", cpprof_error());
        return 1;
    }
    (void)printf("sleep %ld %ld\ncond %ld %ld\npoll %ld %ld\n", n_sleeps,
                 sleep_ns, n_conds, cond_ns, n_polls, poll_ns);
    (void)printf("pipe %ld 0\n", n_reads + n_writes);
    return 0;
}
