/* leftover.c - see leftover.h. */
#include "tool/cli/leftover.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

#define N_NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

/* Set before the handlers are there, cleared when they are gone. */
static const char *volatile watched;
static bool is_ours[N_NUMBERS];

/* unlink and raise may be called here; SA_RESETHAND has the next one kill. */
static void on_signal(int number)
{
    const char *path = watched;

    if (path)
        (void)unlink(path);
    (void)raise(number);
}

void cp_leftover_watch(const char *path)
{
    struct sigaction handle = { .sa_handler = on_signal,
                                .sa_flags = (int)SA_RESETHAND };
    struct sigaction now;

    watched = path;
    for (size_t i = 0; i < N_NUMBERS; i++) {
        is_ours[i] =
            sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL;
        if (is_ours[i])
            (void)sigaction(numbers[i], &handle, NULL);
    }
}

void cp_leftover_keep(void)
{
    for (size_t i = 0; i < N_NUMBERS; i++) {
        if (is_ours[i])
            (void)signal(numbers[i], SIG_DFL);
        is_ours[i] = false;
    }
    watched = NULL;
}
