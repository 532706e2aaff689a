/*
 * test_alt_stacks.c - when threads share a stack for their handlers, and when
 * one only takes what another has left.
 */
#include "runtime/threads/sigaltstack_sharing.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "check.h"

/* Stacks so far apart have the same place in the table. */
#define SAME_PLACE (64 * 4096)

static char memory[7][SAME_PLACE + 16384] __attribute__((aligned(4096)));

static stack_t stack_of(int which)
{
    return (stack_t){ .ss_sp = memory[which], .ss_size = 16384 };
}

/* As our hook of sigaltstack does it. */
static bool set(stack_t stack)
{
    bool is_shared = cp_sigaltstack_detect_sharing(&stack);

    cp_sigaltstack_drop_others(&stack);
    return is_shared;
}

struct other {
    stack_t stack;
    int tid;
};

static void *set_it(void *arg)
{
    struct other *o = arg;

    o->tid = gettid();
    return set(o->stack) ? arg : NULL;
}

/* This thread is there meanwhile. The other has gone then, for the kernel too.
 */
static bool set_another(stack_t stack)
{
    struct other o = { .stack = stack };
    void *result = NULL;
    pthread_t thread;

    CHECK_INT(pthread_create(&thread, NULL, set_it, &o), 0);
    CHECK_INT(pthread_join(thread, &result), 0);
    while (tgkill(getpid(), o.tid, 0) == 0)
        (void)sched_yield();
    return result != NULL;
}

static bool set_in_another(int which)
{
    return set_another(stack_of(which));
}

static void test_left(void)
{
    stack_t none = { .ss_flags = SS_DISABLE }, named = stack_of(4);

    check_case("given up");
    CHECK(!set(stack_of(0)));
    CHECK(!set(none));
    CHECK(!set_in_another(0));
    CHECK(!cp_sigaltstack_detect_sharing(&none));
    CHECK(!set_another(none));
    check_case("given up by its name");
    named.ss_flags = SS_DISABLE;
    CHECK(!set(stack_of(4)));
    CHECK(!set(named));
    CHECK(!set_in_another(4));
    check_case("changed for another");
    CHECK(!set(stack_of(1)));
    CHECK(!set(stack_of(2)));
    CHECK(!set_in_another(1));
    CHECK_INT(cp_sigaltstack_onstack_flag(), SA_ONSTACK);
}

static void test_not_the_same(void)
{
    stack_t far = stack_of(5);

    check_case("of a thread that has gone");
    CHECK(!set_in_another(6));
    CHECK(!set(stack_of(6)));
    check_case("in the same place of the table");
    far.ss_sp = memory[5] + SAME_PLACE;
    CHECK(!set(stack_of(5)));
    CHECK(!set_another(far));
    CHECK_INT(cp_sigaltstack_onstack_flag(), SA_ONSTACK);
}

static void test_shared(void)
{
    CHECK(!set(stack_of(3)));
    CHECK(!set(stack_of(3)));
    CHECK(set_in_another(3));
    CHECK_INT(cp_sigaltstack_onstack_flag(), 0);
    CHECK(!set(stack_of(3)));
    CHECK(!set_in_another(3)); /* it is known */
}

int main(void)
{
    RUN(test_left);
    RUN(test_not_the_same);
    RUN(test_shared);
    return check_failures != 0;
}
