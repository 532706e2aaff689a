/* test_drain.c - a drain calls its step until it is stopped, and not after. */
#include "runtime/trace/drain.h"

#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static sem_t steps;
static _Atomic int n_steps;

static bool take_step(void *context)
{
    int max = *(const int *)context;

    n_steps++;
    (void)sem_post(&steps);
    return n_steps < max;
}

static void start(struct cp_drain *d, int *max)
{
    *d = (struct cp_drain){ .step = take_step, .context = max };
    (void)sem_init(&steps, 0, 0);
    n_steps = 0;
    CHECK_INT(cp_drain_start(d, "test-drain", NULL), CP_OK);
}

static void test_steps(void)
{
    struct cp_drain d;
    int max = 1000000, n;

    start(&d, &max);
    for (int i = 0; i < 3; i++)
        (void)sem_wait(&steps);
    CHECK(cp_drain_stop(&d));
    n = n_steps;
    CHECK(n >= 3);
    CHECK(cp_drain_stop(&d)); /* it is stopped already */
    CHECK_INT(n_steps, n);
}

static void test_last_step(void)
{
    struct cp_drain d;
    int max = 2;

    start(&d, &max);
    (void)sem_wait(&steps);
    (void)sem_wait(&steps);
    CHECK(cp_drain_stop(&d));
    CHECK_INT(n_steps, 2);
}

static void test_not_started(void)
{
    struct cp_drain d = { .step = take_step };

    CHECK(cp_drain_stop(&d));
}

static void test_child(void)
{
    struct cp_drain d;
    int max = 1000000, status = -1;
    pid_t child;

    start(&d, &max);
    child = fork();
    if (child == 0)
        _exit(cp_drain_stop(&d) ? 1 : 7);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    CHECK(cp_drain_stop(&d));
}

int main(void)
{
    RUN(test_steps);
    RUN(test_last_step);
    RUN(test_not_started);
    RUN(test_child);
    return check_failures != 0;
}
