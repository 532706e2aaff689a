/* test_sandbox - what the library gives up before a filter is installed. */
#include "runtime/os/sandbox.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "check.h"

/* A filter that returns `action` for one call and allows all others. */
static enum cp_sandbox_need check(long number, uint32_t action, bool is_for_all)
{
    const struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };

    return cp_sandbox_check_filter(filter, sizeof(filter) / sizeof(filter[0]),
                                   is_for_all);
}

static void test_killed_calls(void)
{
    const uint32_t kill = SECCOMP_RET_KILL_PROCESS;

    CHECK_INT(check(SYS_reboot, kill, true), CP_SANDBOX_NOTHING);
    CHECK_INT(check(SYS_perf_event_open, kill, true), CP_SANDBOX_NO_PERF);
    CHECK_INT(check(SYS_clone, kill, false), CP_SANDBOX_NO_THREADS);
    CHECK_INT(check(SYS_clone, kill, true), CP_SANDBOX_SEAL);
    CHECK_INT(check(SYS_timer_create, kill, false), CP_SANDBOX_SEAL);
    CHECK_INT(check(SYS_futex, kill, false), CP_SANDBOX_SEAL);
}

/* Calls that must succeed are separate from calls that may fail. */
static void test_failing_calls(void)
{
    const uint32_t fail = SECCOMP_RET_ERRNO | 1;

    CHECK_INT(check(SYS_perf_event_open, fail, true), CP_SANDBOX_NOTHING);
    CHECK_INT(check(SYS_clone, fail, true), CP_SANDBOX_NOTHING);
    CHECK_INT(check(SYS_timer_create, fail, true), CP_SANDBOX_NOTHING);
    CHECK_INT(check(SYS_futex, fail, false), CP_SANDBOX_SEAL);
}

static void test_filtered_stays(void)
{
    cp_sandbox_set_filtered();
    CHECK(cp_sandbox_was_filtered());
    CHECK(cp_sandbox_is_filtered());
}

int main(void)
{
    RUN(test_killed_calls);
    RUN(test_failing_calls);
    RUN(test_filtered_stays);
    return check_failures != 0;
}
