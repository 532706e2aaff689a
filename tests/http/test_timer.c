/* test_timer.c - timers fire in order of their times. */
#include "http/timer.h"

#include "check.h"

#define N 300

static int64_t fired[N];
static size_t n_fired;

static void fire(void *context)
{
    struct cp_http_timer *t = context;

    fired[n_fired++] = t->due_ns;
}

static void make(struct cp_http_timer *t, struct cp_http_timers *h, int64_t due)
{
    *t = (struct cp_http_timer){ .fire = fire, .context = t };
    cp_http_timer_set(h, t, due);
}

static void test_order(void)
{
    struct cp_http_timers h = { 0 };
    struct cp_http_timer t[N];
    uint32_t x = 12345;

    CHECK_INT(cp_http_timers_wait_ms(&h, 0), -1);
    CHECK_INT(cp_http_timers_reserve(&h, N, NULL), CP_OK);
    for (size_t i = 0; i < N; i++) {
        x = x * 1664525 + 1013904223;
        make(&t[i], &h, (x >> 8) % 1000);
    }
    for (size_t i = 0; i < N; i += 3)
        cp_http_timer_clear(&h, &t[i]);
    for (size_t i = 1; i < N; i += 3)
        cp_http_timer_set(&h, &t[i], 999 - t[i].due_ns);
    CHECK_INT(h.n, N - N / 3);
    n_fired = 0;
    cp_http_timers_fire(&h, 499);
    cp_http_timers_fire(&h, 1000);
    CHECK_INT(n_fired, N - N / 3);
    CHECK_INT(h.n, 0);
    for (size_t i = 1; i < n_fired; i++)
        CHECK(fired[i - 1] <= fired[i]);
    cp_http_timers_release(&h);
}

static void test_wait(void)
{
    struct cp_http_timers h = { 0 };
    struct cp_http_timer t;

    CHECK_INT(cp_http_timers_reserve(&h, 1, NULL), CP_OK);
    make(&t, &h, 1500001);
    CHECK_INT(cp_http_timers_wait_ms(&h, 0), 2);
    CHECK_INT(cp_http_timers_wait_ms(&h, 1500000), 1);
    CHECK_INT(cp_http_timers_wait_ms(&h, 1500001), 0);
    CHECK_INT(cp_http_timers_wait_ms(&h, 99999999), 0);
    cp_http_timer_set(&h, &t, INT64_MAX);
    CHECK_INT(cp_http_timers_wait_ms(&h, 0), 0x7fffffff);
    cp_http_timer_clear(&h, &t);
    cp_http_timer_clear(&h, &t);
    CHECK_INT(cp_http_timers_wait_ms(&h, 0), -1);
    cp_http_timers_release(&h);
}

int main(void)
{
    RUN(test_order);
    RUN(test_wait);
    return check_failures != 0;
}
