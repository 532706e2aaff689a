/*
 * test_leak_epoll - data words of epoll registrations are found in the text of
 * an fdinfo file, and in this process.
 */
#include "runtime/heap/leak_epoll.h"

#include <stdbool.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "check.h"

#define MAX_FOUND 8

struct words {
    size_t n;
    uintptr_t words[MAX_FOUND];
};

static void collect(void *context, uintptr_t word)
{
    struct words *w = context;

    if (w->n < MAX_FOUND)
        w->words[w->n] = word;
    w->n++;
}

static void test_text(void)
{
    struct words w = { 0 };

    cp_leak_epoll_parse(
        "pos:\t0\nflags:\t02000002\nmnt_id:\t15\nino:\t1057\n"
        "tfd:        5 events:       19 data:     7f52c8000b70  pos:0 ino:1 "
        "sdev:c\n"
        "tfd:       12 events:       1b data: ffffffffffffffff  pos:0 ino:2 "
        "sdev:c\n",
        collect, &w);
    CHECK_INT(w.n, 2);
    CHECK(w.words[0] == 0x7f52c8000b70);
    CHECK(w.words[1] == UINTPTR_MAX);
    cp_leak_epoll_parse("", collect, &w);
    cp_leak_epoll_parse("tfd: 5 data:", collect, &w);
    CHECK(w.n == 3 && w.words[2] == 0);
}

static void test_own(void)
{
    static char thing[100];
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = thing + 50 };
    int poller = epoll_create1(EPOLL_CLOEXEC), ends[2];
    struct words w = { 0 };

    if (poller < 0 || pipe(ends) != 0 ||
        epoll_ctl(poller, EPOLL_CTL_ADD, ends[0], &event) != 0) {
        CHECK(false);
        return;
    }
    cp_leak_epoll_each(collect, &w);
    CHECK_INT(w.n, 1);
    CHECK(w.words[0] == (uintptr_t)(thing + 50));
    (void)close(poller);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

int main(void)
{
    RUN(test_text);
    RUN(test_own);
    return check_failures != 0;
}
