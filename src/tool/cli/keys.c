/* keys.c - signal handlers, ppoll and UTF-8 decoding for cp_keys_read. */
#include "tool/cli/keys.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "tool/cli/interrupt.h"

static const int numbers[] = { SIGWINCH, SIGCONT, SIGTERM, SIGHUP, SIGQUIT };

#define N_NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

/* Set by the handler; read with these signals blocked. */
static volatile sig_atomic_t is_resized, is_continued, end_signal;
static struct sigaction before[N_NUMBERS];

static void on_signal(int number)
{
    if (number == SIGWINCH)
        is_resized = 1;
    else if (number == SIGCONT)
        is_continued = 1;
    else
        end_signal = number;
}

void cp_keys_open(void)
{
    struct sigaction handle = { .sa_handler = on_signal };

    is_resized = is_continued = end_signal = 0;
    for (size_t i = 0; i < N_NUMBERS; i++)
        (void)sigaction(numbers[i], &handle, &before[i]);
    cp_interrupt_catch();
}

void cp_keys_close(void)
{
    cp_interrupt_release();
    for (size_t i = 0; i < N_NUMBERS; i++)
        (void)sigaction(numbers[i], &before[i], NULL);
}

void cp_keys_reset_in_child(void)
{
    struct sigaction now;

    for (size_t i = 0; i < N_NUMBERS; i++)
        if (sigaction(numbers[i], NULL, &now) == 0 &&
            now.sa_handler == on_signal)
            (void)signal(numbers[i], SIG_DFL);
    while (cp_interrupt_is_caught())
        cp_interrupt_release();
}

int cp_keys_signal(void)
{
    return end_signal;
}

/* Returns and clears a pending event; CP_KEY if none is pending. */
static enum cp_key take_event(void)
{
    if (end_signal)
        return CP_KEY_END;
    if (cp_interrupt_seen()) {
        cp_interrupt_clear();
        return CP_KEY_INTERRUPTED;
    }
    if (is_continued) {
        is_continued = 0;
        return CP_KEY_CONTINUED;
    }
    if (is_resized) {
        is_resized = 0;
        return CP_KEY_RESIZED;
    }
    return CP_KEY;
}

/*
 * Waits for input. Signals are unblocked only inside ppoll, so none is lost,
 * and their events are returned before pending keys.
 */
static enum cp_key wait_for_input(void)
{
    struct pollfd fds[2] = { { .fd = STDIN_FILENO, .events = POLLIN },
                             { .fd = cp_interrupt_fd(), .events = POLLIN } };
    sigset_t blocked, old;
    enum cp_key key = CP_KEY;
    bool is_ready = false;

    (void)sigemptyset(&blocked);
    (void)sigaddset(&blocked, SIGINT);
    for (size_t i = 0; i < N_NUMBERS; i++)
        (void)sigaddset(&blocked, numbers[i]);
    (void)sigprocmask(SIG_BLOCK, &blocked, &old);
    while ((key = take_event()) == CP_KEY && !is_ready) {
        int n = ppoll(fds, 2, NULL, &old);

        is_ready = (n > 0 && fds[0].revents) || (n < 0 && errno != EINTR);
    }
    (void)sigprocmask(SIG_SETMASK, &old, NULL);
    return key;
}

/*
 * Reads the rest of a multibyte character. Returns an invalid first byte as a
 * character.
 */
static void read_rest(unsigned char first, wchar_t *out)
{
    mbstate_t state;
    char byte = (char)first;
    size_t n;

    memset(&state, 0, sizeof(state));
    *out = first;
    n = mbrtowc(out, &byte, 1, &state);
    while (n == (size_t)-2 && read(STDIN_FILENO, &byte, 1) == 1)
        n = mbrtowc(out, &byte, 1, &state);
    if (n == (size_t)-1)
        *out = L'?';
}

enum cp_key cp_keys_read(wchar_t *out)
{
    unsigned char byte;
    enum cp_key key = wait_for_input();
    ssize_t n;

    if (key != CP_KEY)
        return key;
    do
        n = read(STDIN_FILENO, &byte, 1);
    while (n < 0 && errno == EINTR);
    if (n != 1)
        return CP_KEY_END;
    if (byte < 0x80)
        *out = byte;
    else
        read_rest(byte, out);
    return CP_KEY;
}
