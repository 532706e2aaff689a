/*
 * fork_threads - a library whose atfork handlers stop its thread before a fork
 * and start one after it in both processes, as some numerical libraries do.
 */
#include <pthread.h>
#include <semaphore.h>

static pthread_t thread;
static sem_t over;

static void *wait_for_end(void *arg)
{
    while (sem_wait(&over) != 0)
        ;
    return arg;
}

static void begin(void)
{
    sem_init(&over, 0, 0);
    pthread_create(&thread, NULL, wait_for_end, NULL);
}

static void stop(void)
{
    sem_post(&over);
    pthread_join(thread, NULL);
}

__attribute__((constructor)) static void load(void)
{
    pthread_atfork(stop, begin, begin);
    begin();
}
