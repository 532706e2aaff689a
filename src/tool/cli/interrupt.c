/*
 * interrupt.c - the SIGINT handler and its nesting count (interrupt.h).
 *
 * The handler only sets an atomic flag and writes to an eventfd. Both exist
 * before the handler is installed.
 */
#include "tool/cli/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static volatile sig_atomic_t is_seen;
static int event_fd = -1;
static int depth;
static struct sigaction before;

static void on_signal(int number)
{
    const uint64_t one = 1;
    int saved = errno;
    ssize_t n;

    (void)number;
    is_seen = 1;
    n = event_fd >= 0 ? write(event_fd, &one, sizeof(one)) : 0;
    (void)n;
    errno = saved;
}

void cp_interrupt_catch(void)
{
    struct sigaction handle = { .sa_handler = on_signal };

    if (depth++ > 0)
        return;
    if (event_fd < 0)
        event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    cp_interrupt_clear();
    (void)sigaction(SIGINT, &handle, &before);
}

void cp_interrupt_release(void)
{
    if (depth > 0 && --depth == 0)
        (void)sigaction(SIGINT, &before, NULL);
}

bool cp_interrupt_is_caught(void)
{
    return depth > 0;
}

bool cp_interrupt_seen(void)
{
    return is_seen;
}

void cp_interrupt_clear(void)
{
    uint64_t count;
    ssize_t n;

    is_seen = 0;
    n = event_fd >= 0 ? read(event_fd, &count, sizeof(count)) : 0;
    (void)n;
}

int cp_interrupt_fd(void)
{
    return event_fd;
}
