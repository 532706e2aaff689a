/*
 * test_sigaltstack_sharing - threads that share an alternate stack, and threads
 * that reuse one that another no longer uses.
 */
#include "runtime/threads/sigaltstack_sharing.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "check.h"

/* Distance of two stacks with the same hash. */
#define SAME_ENTRY (64 * 4096)

static char memory[7][SAME_ENTRY + 16384] __attribute__((aligned(4096)));

static stack_t stack_of(int which)
{
    return (stack_t){ .ss_sp = memory[which], .ss_size = 16384 };
}

/* The calls of the sigaltstack hook. */
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

/* Sets it in another thread, and waits until that has exited. */
static bool set_by_other_thread(stack_t stack)
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

static bool set_in_other_thread(int which)
{
    return set_by_other_thread(stack_of(which));
}

static void test_reuse_is_no_sharing(void)
{
    stack_t none = { .ss_flags = SS_DISABLE }, named = stack_of(4);

    check_case("disabled before");
    CHECK(!set(stack_of(0)));
    CHECK(!set(none));
    CHECK(!set_in_other_thread(0));
    CHECK(!cp_sigaltstack_detect_sharing(&none));
    CHECK(!set_by_other_thread(none));
    check_case("disabled with its address");
    named.ss_flags = SS_DISABLE;
    CHECK(!set(stack_of(4)));
    CHECK(!set(named));
    CHECK(!set_in_other_thread(4));
    check_case("replaced by another stack");
    CHECK(!set(stack_of(1)));
    CHECK(!set(stack_of(2)));
    CHECK(!set_in_other_thread(1));
    CHECK_INT(cp_sigaltstack_onstack_flag(), SA_ONSTACK);
}

static void test_other_stacks(void)
{
    stack_t colliding = stack_of(5);

    check_case("of an exited thread");
    CHECK(!set_in_other_thread(6));
    CHECK(!set(stack_of(6)));
    check_case("same hash, other stack");
    colliding.ss_sp = memory[5] + SAME_ENTRY;
    CHECK(!set(stack_of(5)));
    CHECK(!set_by_other_thread(colliding));
    CHECK_INT(cp_sigaltstack_onstack_flag(), SA_ONSTACK);
}

static void test_sharing_is_detected_once(void)
{
    CHECK(!set(stack_of(3)));
    CHECK(!set(stack_of(3)));
    CHECK(set_in_other_thread(3));
    CHECK_INT(cp_sigaltstack_onstack_flag(), 0);
    CHECK(!set(stack_of(3)));
    CHECK(!set_in_other_thread(3)); /* reported once */
}

int main(void)
{
    RUN(test_reuse_is_no_sharing);
    RUN(test_other_stacks);
    RUN(test_sharing_is_detected_once);
    return check_failures != 0;
}
