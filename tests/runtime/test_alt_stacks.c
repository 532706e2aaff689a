/*
 * test_alt_stacks.c - when threads share a stack for their handlers, and when
 * one only takes what another has left.
 */
#include "runtime/alt_stacks.h"

#include <pthread.h>

#include "check.h"

static char memory[4][16384];

static stack_t stack_of(int which)
{
    return (stack_t){ .ss_sp = memory[which], .ss_size = sizeof(memory[0]) };
}

/* As our hook of sigaltstack does it. */
static bool set(stack_t stack)
{
    bool is_shared = cp_alt_stacks_note(&stack);

    cp_alt_stacks_keep(&stack);
    return is_shared;
}

static void *set_it(void *arg)
{
    return set(*(stack_t *)arg) ? arg : NULL;
}

/* This thread is there meanwhile. */
static bool set_in_another(int which)
{
    stack_t stack = stack_of(which);
    void *result = NULL;
    pthread_t thread;

    CHECK_INT(pthread_create(&thread, NULL, set_it, &stack), 0);
    CHECK_INT(pthread_join(thread, &result), 0);
    return result != NULL;
}

static void test_left(void)
{
    stack_t none = { .ss_flags = SS_DISABLE };

    check_case("given up");
    CHECK(!set(stack_of(0)));
    CHECK(!set(none));
    CHECK(!set_in_another(0));
    check_case("changed for another");
    CHECK(!set(stack_of(1)));
    CHECK(!set(stack_of(2)));
    CHECK(!set_in_another(1));
    CHECK_INT(cp_alt_stacks_flag(), SA_ONSTACK);
}

static void test_shared(void)
{
    CHECK(!set(stack_of(3)));
    CHECK(!set(stack_of(3)));
    CHECK(set_in_another(3));
    CHECK_INT(cp_alt_stacks_flag(), 0);
    CHECK(!set_in_another(3)); /* it is known */
}

int main(void)
{
    RUN(test_left);
    RUN(test_shared);
    return check_failures != 0;
}
