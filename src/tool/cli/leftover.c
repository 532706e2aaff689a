/* leftover.c - the signal handler that removes the unfinished file. */
#include "tool/cli/leftover.h"

#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

#define N_NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

/* Set before the handlers are installed, cleared after they are removed. */
static const char *volatile temp_path;
static bool is_installed[N_NUMBERS];

/*
 * Removes the file and raises the signal again. unlink and raise are
 * async-signal-safe. SA_RESETHAND restores the default action, so that raise
 * ends the process.
 */
static void on_signal(int number)
{
    const char *path = temp_path;

    if (path)
        (void)unlink(path);
    (void)raise(number);
}

void cp_leftover_register(const char *path)
{
    struct sigaction handle = { .sa_handler = on_signal,
                                .sa_flags = (int)SA_RESETHAND };
    struct sigaction now;

    temp_path = path;
    for (size_t i = 0; i < N_NUMBERS; i++) {
        is_installed[i] =
            sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL;
        if (is_installed[i])
            (void)sigaction(numbers[i], &handle, NULL);
    }
}

void cp_leftover_unregister(void)
{
    for (size_t i = 0; i < N_NUMBERS; i++) {
        if (is_installed[i])
            (void)signal(numbers[i], SIG_DFL);
        is_installed[i] = false;
    }
    temp_path = NULL;
}
