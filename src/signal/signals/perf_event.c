/* perf_event.c - see perf_event.h. */
#include "signal/signals/perf_event.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "signal/unwinder/syscall.h"

#define PAGE_BYTES 4096   /* or less than the kernel's page: it rounds up */
#define SHORTEST_NS 10000 /* the kernel takes no shorter period */
#define TRAP_OF_EVENT 6   /* TRAP_PERF, which older headers lack */

/* What SIGTRAP brings along, on 64-bit machines. */
struct trap {
    int32_t signo, error, code, pad;
    uint64_t address;
    uint64_t word;
    uint32_t type, flags;
};

_Static_assert(sizeof(void *) == 8 && offsetof(struct trap, word) == 24,
               "struct trap is the kernel's");

int cp_signal_perf_open(int32_t tid, uint64_t period_ns, uint64_t word,
                        void **out)
{
    struct perf_event_attr attr = {
        .size = sizeof(attr),
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = period_ns < SHORTEST_NS ? SHORTEST_NS : period_ns,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .sigtrap = 1,
        .remove_on_exec = 1,
        .sig_data = word,
    };
    long fd, map;

    fd = CP_SYSCALL(SYS_perf_event_open, (long)&attr, tid, -1, -1,
                    PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return (int)fd;
    map = CP_SYSCALL(SYS_mmap, 0, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
    (void)CP_SYSCALL(SYS_close, fd);
    if (map < 0 && map > -PAGE_BYTES)
        return (int)map;
    *out = (void *)map;
    return 0;
}

void cp_signal_perf_close(void *event)
{
    if (event)
        (void)CP_SYSCALL(SYS_munmap, (long)event, PAGE_BYTES);
}

bool cp_signal_perf_payload(const siginfo_t *info, uint64_t *out)
{
    if (info->si_signo != SIGTRAP || info->si_code != TRAP_OF_EVENT)
        return false;
    *out = ((const struct trap *)(const void *)info)->word;
    return true;
}
