/* test_drain.c - a thread that takes turns until it is told to end. */
#include "base/error.h"
#include "runtime/trace/drain.h"

#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static sem_t turns;
static _Atomic int n_turns;

static bool take_turn(void *context)
{
    int most = *(const int *)context;

    n_turns++;
    (void)sem_post(&turns);
    return n_turns < most;
}

static void start(struct cp_drain *d, int *most)
{
    *d = (struct cp_drain){ .turn = take_turn, .context = most };
    (void)sem_init(&turns, 0, 0);
    n_turns = 0;
    CHECK_INT(cp_drain_start(d, "test-drain", NULL), CP_OK);
}

static void test_turns(void)
{
    struct cp_drain d;
    int most = 1000000, n;

    start(&d, &most);
    for (int i = 0; i < 3; i++)
        (void)sem_wait(&turns);
    CHECK(cp_drain_end(&d));
    n = n_turns;
    CHECK(n >= 3);
    CHECK(cp_drain_end(&d)); /* it has ended already */
    CHECK_INT(n_turns, n);
}

static void test_last_turn(void)
{
    struct cp_drain d;
    int most = 2;

    start(&d, &most);
    (void)sem_wait(&turns);
    (void)sem_wait(&turns);
    CHECK(cp_drain_end(&d));
    CHECK_INT(n_turns, 2);
}

static void test_never(void)
{
    struct cp_drain d = { .turn = take_turn };

    CHECK(cp_drain_end(&d));
}

static void test_child(void)
{
    struct cp_drain d;
    int most = 1000000, status = -1;
    pid_t child;

    start(&d, &most);
    child = fork();
    if (child == 0)
        _exit(cp_drain_end(&d) ? 1 : 7);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    CHECK(cp_drain_end(&d));
}

int main(void)
{
    RUN(test_turns);
    RUN(test_last_turn);
    RUN(test_never);
    RUN(test_child);
    return check_failures != 0;
}
