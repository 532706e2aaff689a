/*
 * many_waits.c - waits N times very briefly, nearly always from a different
 * stack of sixty frames; then prints the peak memory of the process in KB.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define DEPTH 60

static unsigned long state = 1;

static int draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 63 != 0;
}

/* The deadline has passed, so that the wait returns at once. */
static void wait_here(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    const struct timespec past = { 0, 1 };

    (void)pthread_mutex_lock(&lock);
    (void)pthread_cond_timedwait(&never, &lock, &past);
    (void)pthread_mutex_unlock(&lock);
}

static __attribute__((noinline, noclone)) void left(int depth);
static __attribute__((noinline, noclone)) void right(int depth);

static void go_on(int depth)
{
    if (depth == 0)
        wait_here();
    else if (draw())
        left(depth - 1);
    else
        right(depth - 1);
}

static void left(int depth)
{
    go_on(depth);
    __asm__ volatile(
        "nop"); /* prevents a tail call and merging with the other function */
}

static void right(int depth)
{
    go_on(depth);
    __asm__ volatile("");
}

static void print_memory(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[128];
    long kb;

    while (status && fgets(line, sizeof(line), status))
        if (sscanf(line, "VmHWM: %ld", &kb) == 1)
            printf("%ld\n", kb);
}

int main(int argc, char **argv)
{
    for (long i = 0; argc > 1 && i < atol(argv[1]); i++)
        go_on(DEPTH);
    print_memory();
    return 0;
}
