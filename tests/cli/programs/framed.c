/* framed.c - threads that sleep in interruptible calls, in functions with frame
 * pointers, on stacks with stale data of earlier calls. Prints "interrupted" if
 * a sleep ends early. Ends with its input. */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void sleep_in_poll(void)
{
    char unused[4000]; /* uninitialized: keeps the data of earlier calls */

    __asm__ volatile("" : : "r"(unused) : "memory");
    if (poll(NULL, 0, -1) < 0)
        puts("interrupted");
    (void)fflush(stdout);
}

__attribute__((noinline)) static int dig(int n)
{
    char bytes[64];

    memset(bytes, n, sizeof(bytes));
    __asm__ volatile("" : : "r"(bytes) : "memory");
    return n > 0 ? dig(n - 1) + bytes[3] : bytes[5];
}

static void *run_deep(void *unused)
{
    volatile int sum = dig(20);

    (void)unused, (void)sum;
    sleep_in_poll();
    return NULL;
}

static void *run_flat(void *unused)
{
    volatile int sum = dig(20);

    (void)unused, (void)sum;
    if (poll(NULL, 0, -1) < 0)
        puts("interrupted");
    (void)fflush(stdout);
    return NULL;
}

int main(void)
{
    struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
    pthread_t threads[2];

    if (pthread_create(&threads[0], NULL, run_deep, NULL) != 0 ||
        pthread_create(&threads[1], NULL, run_flat, NULL) != 0)
        return 2;
    if (poll(&input, 1, -1) < 0)
        puts("interrupted");
    return 0;
}
