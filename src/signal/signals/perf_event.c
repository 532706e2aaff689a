/* perf_event.c - opens a perf event, and reads the payload of its signal. */
#include "signal/signals/perf_event.h"

#include <stddef.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/assert/assert.h"
#include "signal/unwinder/syscall.h"

#define PAGE_BYTES 4096     /* the kernel rounds up to its page size */
#define MIN_PERIOD_NS 10000 /* shortest period that the kernel accepts */
#define TRAP_PERF_CODE 6    /* TRAP_PERF; older headers lack it */

/* The kernel's siginfo of a SIGTRAP from perf, on 64-bit machines. */
struct perf_siginfo {
    int32_t signo, error, code, pad;
    uint64_t address;
    uint64_t payload;
    uint32_t type, flags;
};

_Static_assert(sizeof(void *) == 8 &&
                   offsetof(struct perf_siginfo, payload) == 24,
               "struct perf_siginfo has the layout of the kernel");

int cp_signal_perf_open(int32_t tid, uint64_t period_ns, uint64_t payload,
                        void **out)
{
    struct perf_event_attr attr = {
        .size = sizeof(attr),
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = period_ns < MIN_PERIOD_NS ? MIN_PERIOD_NS : period_ns,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .sigtrap = 1,
        .remove_on_exec = 1,
        .sig_data = payload,
    };
    long fd, map;

    CP_ASSERT(tid >= 0 && out);
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
    if (info->si_signo != SIGTRAP || info->si_code != TRAP_PERF_CODE)
        return false;
    *out = ((const struct perf_siginfo *)(const void *)info)->payload;
    return true;
}
