/* test_seccomp_filter - the interpreter returns what the kernel would. */
#include "runtime/os/seccomp_filter.h"

#include <sys/syscall.h>

#include "check.h"

#define LOAD(field)                                                            \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RET(action) BPF_STMT(BPF_RET | BPF_K, (action))

static uint32_t run(const struct sock_filter *filter, size_t n, long number,
                    uint64_t first)
{
    struct cp_seccomp_call call = { number, { first } };

    return cp_seccomp_run(filter, n, &call);
}

static void test_list(void)
{
    const struct sock_filter filter[] = {
        LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 0, 1),
        RET(SECCOMP_RET_ALLOW),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, SYS_openat, 0, 1),
        RET(SECCOMP_RET_ERRNO | 1),
        RET(SECCOMP_RET_KILL_PROCESS),
    };
    size_t n = sizeof(filter) / sizeof(filter[0]);

    CHECK(run(filter, n, SYS_read, 0) == SECCOMP_RET_ALLOW);
    CHECK(run(filter, n, SYS_openat, 0) == (SECCOMP_RET_ERRNO | 1));
    CHECK(run(filter, n, 1, 0) == SECCOMP_RET_KILL_PROCESS || SYS_read == 1);
}

static void test_argument(void)
{
    const struct sock_filter filter[] = {
        LOAD(args[0]),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf0),
        BPF_STMT(BPF_MISC | BPF_TAX, 0),
        BPF_STMT(BPF_STX, 3),
        BPF_STMT(BPF_LD | BPF_MEM, 3),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x10, 0, 1),
        RET(SECCOMP_RET_TRAP),
        BPF_STMT(BPF_LD | BPF_IMM, SECCOMP_RET_LOG),
        BPF_STMT(BPF_RET | BPF_A, 0),
    };
    size_t n = sizeof(filter) / sizeof(filter[0]);

    CHECK(run(filter, n, SYS_read, 0x35) == SECCOMP_RET_TRAP);
    CHECK(run(filter, n, SYS_read, 0x25) == SECCOMP_RET_LOG);
}

static void test_bad_programs(void)
{
    const struct sock_filter no_end[] = { LOAD(nr) };
    const struct sock_filter bad_memory[] = { BPF_STMT(BPF_LD | BPF_MEM, 16),
                                              RET(SECCOMP_RET_ALLOW) };
    const struct sock_filter bad_jump[] = { BPF_STMT(BPF_JMP | BPF_JA, 9),
                                            RET(SECCOMP_RET_ALLOW) };
    const struct sock_filter unaligned[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 3), RET(SECCOMP_RET_ALLOW)
    };

    CHECK(run(no_end, 1, 0, 0) == SECCOMP_RET_KILL_PROCESS);
    CHECK(run(bad_memory, 2, 0, 0) == SECCOMP_RET_KILL_PROCESS);
    CHECK(run(bad_jump, 2, 0, 0) == SECCOMP_RET_KILL_PROCESS);
    CHECK(run(unaligned, 2, 0, 0) == SECCOMP_RET_KILL_PROCESS);
    CHECK(run(no_end, 0, 0, 0) == SECCOMP_RET_KILL_PROCESS);
}

static void test_results(void)
{
    CHECK(cp_seccomp_is_allowed(SECCOMP_RET_LOG));
    CHECK(!cp_seccomp_is_allowed(SECCOMP_RET_ERRNO | 1));
    CHECK(cp_seccomp_is_harmless(SECCOMP_RET_ERRNO | 1));
    CHECK(!cp_seccomp_is_harmless(SECCOMP_RET_TRAP));
    CHECK(!cp_seccomp_is_harmless(SECCOMP_RET_KILL_THREAD));
}

int main(void)
{
    RUN(test_list);
    RUN(test_argument);
    RUN(test_bad_programs);
    RUN(test_results);
    return check_failures != 0;
}
