/*
 * leak_places - pointers in places that a leak search may miss, for
 * tests/cli/leaks.
 *
 * Blocks of kept_NAME() have one pointer left: in read-only memory, in the
 * kernel, or in a register of a thread that sleeps in an interruptible call.
 * Blocks of hidden_first() are lost; stale copies of their addresses are in the
 * program's first block, which is freed. Prints "ready" when the thread sleeps,
 * and waits for the end of its input.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(SYS_poll)
#define POLL_NUMBER SYS_poll
#else
#define POLL_NUMBER SYS_ppoll
#endif

#define KEEP __attribute__((noinline, noipa))

#define N 100
#define PAGE ((size_t)4096)
#define MASK 0x5a5a5a5a5a5a5a5a

#define SITE(name)                                                             \
    KEEP static void *name(size_t size)                                        \
    {                                                                          \
        void *block = malloc(size);                                            \
                                                                               \
        if (!block)                                                            \
            abort();                                                           \
        memset(block, 1, size);                                                \
        return block;                                                          \
    }

SITE(hidden_first)
SITE(kept_epoll)
SITE(kept_protected)
SITE(kept_read_only)
SITE(kept_register)

static _Alignas(4096) char protected_page[4096];

KEEP static void clear(void)
{
    volatile char bytes[65536];

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = 0;
}

/* Freed last: malloc would otherwise reuse parts of it. */
static void *volatile *rows;

KEEP static void hide(void)
{
    for (size_t i = 0; i < N; i++)
        rows[i] = hidden_first(400);
    free((void *)rows);
    rows = NULL;
}

KEEP static void protect(void)
{
    void **page = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *in_data = kept_protected(500);

    if (page == MAP_FAILED)
        abort();
    page[1000] = kept_read_only(500);
    memcpy(protected_page, &in_data, sizeof(in_data));
    if (mprotect(page, 16 * PAGE, PROT_READ) != 0 ||
        mprotect(protected_page, PAGE, PROT_READ) != 0)
        abort();
}

KEEP static void tell(void)
{
    struct epoll_event event = { .events = EPOLLIN };
    int poller = epoll_create1(0), ends[2];

    event.data.ptr = kept_epoll(500);
    if (pipe(ends) != 0 || epoll_ctl(poller, EPOLL_CTL_ADD, ends[0], &event))
        abort();
    memset(&event, 0, sizeof(event));
}

#if defined(__x86_64__)

/* Calls poll with the pointer in a register only; MASK hides it in memory. */
__attribute__((naked, noinline)) static int poll_with(struct pollfd *fds,
                                                      nfds_t n, int timeout,
                                                      uintptr_t hidden,
                                                      uintptr_t mask)
{
    __asm__("push %r15\n\t"
            "mov %rcx, %r15\n\t"
            "xor %r8, %r15\n\t"
            "xor %ecx, %ecx\n\t"
            "xor %r8d, %r8d\n\t"
            "call poll@PLT\n\t"
            "pop %r15\n\t"
            "ret");
}

#else

static int poll_with(struct pollfd *fds, nfds_t n, int timeout,
                     uintptr_t hidden, uintptr_t mask)
{
    void *volatile held = (void *)(hidden ^ mask);

    return poll(fds, n, timeout) + (held == NULL);
}

#endif

KEEP static uintptr_t hidden_address(void)
{
    return (uintptr_t)kept_register(500) ^ MASK;
}

static _Atomic long sleeper;

/* Waits until the thread is in poll: before, no register has the pointer. */
KEEP static void await_sleeper(void)
{
    for (long number = -1; number != SYS_ppoll && number != POLL_NUMBER;) {
        char path[64], text[64] = "";
        int fd;

        (void)snprintf(path, sizeof(path), "/proc/self/task/%ld/syscall",
                       (long)sleeper);
        fd = open(path, O_RDONLY);
        if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
            text[0] = '\0';
        if (fd >= 0)
            (void)close(fd);
        number = text[0] >= '0' && text[0] <= '9' ? strtol(text, NULL, 10) : -1;
        (void)sched_yield();
    }
}

static void *sleep_on(void *arg)
{
    struct pollfd none = { .fd = -1 };
    uintptr_t hidden = hidden_address();

    (void)poll(NULL, 0,
               0); /* without this, the loader's copy is on the stack */
    clear();
    sleeper = syscall(SYS_gettid);
    (void)poll_with(&none, 1, -1, hidden, MASK);
    return arg;
}

int main(void)
{
    pthread_t thread;
    char byte;

    rows = malloc(10 * N * sizeof(*rows));
    protect();
    tell();
    if (pthread_create(&thread, NULL, sleep_on, NULL) != 0)
        return 2;
    hide();
    await_sleeper();
    clear();
    if (write(STDOUT_FILENO, "ready\n", 6) != 6)
        return 2;
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
    return 0;
}
