/*
 * bank.c - a contended lock, for docs/tutorial.md.
 *
 *     cc -g -O2 -pthread bank.c -o bank
 *
 * Four threads transfer money, which is fast; one auditor adds up all accounts,
 * which is slow. They share a lock. The program does not use the library.
 */
#include <pthread.h>
#include <unistd.h>

#define N_ACCOUNTS 1000
#define N_CLERKS 4

static long accounts[N_ACCOUNTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void transfer(int from, int to)
{
    pthread_mutex_lock(&lock);
    accounts[from]--;
    accounts[to]++;
    pthread_mutex_unlock(&lock);
}

static long audit(void)
{
    long sum = 0;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < N_ACCOUNTS; i++)
        sum += accounts[i];
    usleep(5000); /* prints a receipt while it holds the lock */
    pthread_mutex_unlock(&lock);
    return sum;
}

static void *clerk(void *arg)
{
    int number = (int)(long)arg;

    for (int i = 0;; i = (i + 1) % N_ACCOUNTS) {
        transfer(i, (i + number) % N_ACCOUNTS);
        usleep(500);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;

    for (long i = 0; i < N_CLERKS; i++)
        if (pthread_create(&thread, NULL, clerk, (void *)i) != 0)
            return 1;
    for (;;) {
        if (audit() != 0)
            return 1;
        usleep(1000);
    }
}
