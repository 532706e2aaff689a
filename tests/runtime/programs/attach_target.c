/*
 * attach_target - a target of cpprof attach, for tests/cli/attach.
 *
 * attach_target MODE: works until its standard input ends, and then prints the
 * disturbances that it noticed: failed calls, changed registers.
 *
 *   epoll      calls epoll_wait with a short timeout, repeatedly
 *   sleep      calls clock_nanosleep and measures its duration
 *   read       waits in read of its standard input
 *   write      waits in write to a full pipe, and then in read
 *   futex      all threads wait for each other
 *   compute    makes no system call, except to check for its end
 *   signals    handles a timer's signals continuously
 *   threads    starts threads that end at once
 *   allocate   calls only malloc and free
 *   handler    the same, and waits in a signal handler repeatedly
 *   dispute    two threads contend for one lock, and allocate while they hold
 * it
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static _Atomic long n_failed, n_done, n_signals;

static int epoll_fd;

static int is_over(void)
{
    struct pollfd in = { STDIN_FILENO, POLLIN, 0 };

    return poll(&in, 1, 0) == 1;
}

static void wait_in_epoll(void)
{
    struct epoll_event event = { .events = EPOLLIN };

    (void)epoll_ctl(epoll_fd, EPOLL_CTL_ADD, STDIN_FILENO, &event);
    for (;;) {
        int n;

        errno = 99;
        n = epoll_wait(epoll_fd, &event, 1, 1000);
        if (n > 0)
            return;
        n_failed += n < 0 || errno != 99;
        n_done++;
    }
}

static double now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void sleep_long(void)
{
    while (!is_over()) {
        struct timespec half = { 0, 500000000 };
        double begin = now();

        n_failed += clock_nanosleep(CLOCK_MONOTONIC, 0, &half, NULL) != 0;
        n_failed += now() - begin < 0.499;
        n_done++;
    }
}

static void read_input(void)
{
    char c;

    n_failed += read(STDIN_FILENO, &c, 1) != 0;
    n_done++;
}

/* The test reads the pipe through /proc. */
static void write_and_read(void)
{
    static const char block[65536];
    int ends[2];

    n_failed += pipe(ends) != 0;
    n_failed += write(ends[1], block, sizeof(block)) != sizeof(block);
    n_failed += write(ends[1], block, 1) != 1;
    (void)close(ends[0]);
    (void)close(ends[1]);
    read_input();
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *lock_once(void *arg)
{
    (void)pthread_mutex_lock(&mutex);
    (void)pthread_mutex_unlock(&mutex);
    return arg;
}

/* The main thread joins a thread that waits for a lock that a third holds. */
static void *hold(void *arg)
{
    char c;

    (void)pthread_mutex_lock(&mutex);
    *(_Atomic int *)arg = 1;
    while (read(STDIN_FILENO, &c, 1) > 0)
        ;
    (void)pthread_mutex_unlock(&mutex);
    return NULL;
}

static void wait_for_threads(void)
{
    _Atomic int has_lock = 0;
    pthread_t holder, waiter;

    (void)pthread_create(&holder, NULL, hold, (void *)&has_lock);
    while (!has_lock)
        (void)usleep(1000);
    (void)pthread_create(&waiter, NULL, lock_once, NULL);
    (void)pthread_join(waiter, NULL);
    (void)pthread_join(holder, NULL);
    n_done++;
}

/* Keeps vectors in registers: a lost one would change the sum. */
static double add_up(const double *values, long n)
{
    double sums[8] = { 0 };

    for (long i = 0; i < n; i++)
        for (int k = 0; k < 8; k++)
            sums[k] += values[(i + k) & 63] * (k + 1);
    return sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] +
           sums[7];
}

static void compute(void)
{
    double values[64], first;

    for (int i = 0; i < 64; i++)
        values[i] = i;
    first = add_up(values, 2000000);
    while (!is_over()) {
        n_failed += add_up(values, 2000000) != first;
        n_done++;
    }
}

static void on_alarm(int sig)
{
    (void)sig;
    n_signals++;
}

static void take_signals(void)
{
    struct itimerval often = { { 0, 2000 }, { 0, 2000 } };
    char c;

    (void)setitimer(ITIMER_REAL, &often, NULL);
    for (;;) {
        ssize_t n = read(STDIN_FILENO, &c, 1);

        if (n == 0)
            break;
        n_failed += errno != EINTR;
        n_done++;
    }
    n_failed += n_signals == 0;
}

#define N_BLOCKS 256

/* Blocks of many sizes; their content must not change. */
static void allocate(void)
{
    static char *blocks[N_BLOCKS];
    static size_t sizes[N_BLOCKS];
    unsigned random = 1;

    while (!is_over())
        for (int i = 0; i < 200000; i++) {
            unsigned k = (random = random * 1103515245 + 12345) >> 16;
            char *b = blocks[k %= N_BLOCKS];

            for (int spin = 0; spin < 500; spin++)
                random = random * 1103515245 + 12345;
            if (b)
                n_failed += b[0] != (char)k || b[sizes[k] - 1] != (char)k;
            free(b);
            sizes[k] = 1 + (random >> 8) % (i % 64 ? 3000 : 200000);
            b = blocks[k] = malloc(sizes[k]);
            b[0] = b[sizes[k] - 1] = (char)k;
            n_done++;
        }
}

static void on_nap(int sig)
{
    struct timespec nap = { 0, 1000000 };
    int number = errno;

    (void)sig;
    (void)nanosleep(&nap, NULL);
    errno = number;
}

static void allocate_and_handle(void)
{
    struct sigaction action = { .sa_handler = on_nap, .sa_flags = SA_RESTART };
    struct itimerval often = { { 0, 1500 }, { 0, 1500 } };

    (void)sigaction(SIGALRM, &action, NULL);
    (void)setitimer(ITIMER_REAL, &often, NULL);
    allocate();
}

static void *end_at_once(void *arg)
{
    free(malloc(1000));
    n_done++;
    return arg;
}

static void start_threads(void)
{
    while (!is_over()) {
        pthread_t t;

        n_failed += pthread_create(&t, NULL, end_at_once, NULL) != 0;
        (void)pthread_join(t, NULL);
    }
}

/* Sleeps while it holds the lock, so that the other thread must wait. */
static void hold_and_allocate(void)
{
    void *volatile block;

    (void)pthread_mutex_lock(&mutex);
    block = malloc(100000);
    free(block);
    (void)usleep(1000);
    (void)pthread_mutex_unlock(&mutex);
    (void)usleep(500);
    n_done++;
}

static void *dispute_too(void *arg)
{
    while (!is_over())
        hold_and_allocate();
    return arg;
}

static void dispute(void)
{
    pthread_t other;

    n_failed += pthread_create(&other, NULL, dispute_too, NULL) != 0;
    (void)dispute_too(NULL);
    (void)pthread_join(other, NULL);
}

static const struct {
    const char *name;
    void (*run)(void);
} modes[] = {
    { "epoll", wait_in_epoll },    { "sleep", sleep_long },
    { "read", read_input },        { "write", write_and_read },
    { "futex", wait_for_threads }, { "compute", compute },
    { "signals", take_signals },   { "threads", start_threads },
    { "allocate", allocate },      { "handler", allocate_and_handle },
    { "dispute", dispute },
};

int main(int argc, char **argv)
{
    struct sigaction action = { .sa_handler = on_alarm };

    (void)sigaction(SIGALRM, &action, NULL);
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
        if (argc > 1 && strcmp(argv[1], modes[i].name) == 0) {
            epoll_fd = epoll_create1(0);
            printf("ready\n");
            fflush(stdout);
            modes[i].run();
            printf("done %ld failed %ld\n", n_done, n_failed);
            return 0;
        }
    return 2;
}
