/* early_thread - a library that starts a thread before anybody's constructor.
 */
#include <pthread.h>
#include <unistd.h>

static void *nap(void *arg)
{
    for (;;)
        pause();
    return arg;
}

__attribute__((constructor)) static void begin(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, nap, NULL);
}
