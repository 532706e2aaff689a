/* trace_emit.c - builds events and writes them to the buffer of the thread. */
#include "runtime/trace/trace_emit.h"

#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "runtime/os/clock.h"
#include "runtime/threads/threads.h"
#include "signal/unwinder/syscall.h"
#include "signal/waits/waits.h"

static struct cp_trace_event new_event(enum cp_trace_kind kind, uint64_t arg)
{
    return (struct cp_trace_event){ .time_ns = cp_waits_now_ns(),
                                    .kind = (uint8_t)kind,
                                    .arg = arg };
}

void cp_trace_emit_create(const void *token, uintptr_t caller)
{
    if (cp_trace_is_on())
        cp_trace_write(new_event(CP_TRACE_CREATE, (uint64_t)(uintptr_t)token),
                       NULL, caller);
}

void cp_trace_emit_create_failed(const void *token)
{
    if (cp_trace_is_on())
        cp_trace_write(
            new_event(CP_TRACE_CREATE_FAILED, (uint64_t)(uintptr_t)token), NULL,
            0);
}

void cp_trace_emit_start(const void *token, uintptr_t function)
{
    struct cp_trace_event e;

    if (!cp_trace_is_on())
        return;
    e = new_event(CP_TRACE_START, (uint64_t)(uintptr_t)token);
    e.stack = cp_trace_stack(&function, 1, 0);
    cp_trace_write(e, NULL, 0);
}

static uint64_t timeval_ns(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

void cp_trace_emit_end(void)
{
    struct cp_trace_end end = { 0 };
    struct rusage usage = { 0 };
    struct cp_trace_event e;

    if (!cp_trace_is_on())
        return;
    cp_threads_stop_own_timer();
    (void)CP_SYSCALL(SYS_getrusage, RUSAGE_THREAD, (long)&usage);
    (void)CP_SYSCALL(SYS_prctl, PR_GET_NAME, (long)end.name);
    end.cpu_ns = (uint64_t)cp_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    end.user_ns = timeval_ns(usage.ru_utime);
    end.sys_ns = timeval_ns(usage.ru_stime);
    end.vcsw = (uint64_t)usage.ru_nvcsw;
    end.ivcsw = (uint64_t)usage.ru_nivcsw;
    end.minflt = (uint64_t)usage.ru_minflt;
    end.majflt = (uint64_t)usage.ru_majflt;
    e = new_event(CP_TRACE_END, (uint64_t)pthread_self());
    e.more = sizeof(end);
    cp_trace_write(e, &end, 0);
}

void cp_trace_emit_region(const char *name, bool is_begin, uintptr_t caller)
{
    struct cp_trace_event e;

    if (!cp_trace_is_on())
        return;
    e = new_event(is_begin ? CP_TRACE_REGION_BEGIN : CP_TRACE_REGION_END, 0);
    e.more = (uint16_t)strnlen(name, CP_TRACE_MAX_TEXT);
    cp_trace_write(e, name, caller);
}

void cp_trace_emit_log(const char *category, const char *message,
                       uintptr_t caller)
{
    char text[2 * CP_TRACE_MAX_TEXT + 1];
    size_t n, m;
    struct cp_trace_event e;

    if (!cp_trace_is_on())
        return;
    n = strnlen(category, CP_TRACE_MAX_TEXT);
    m = strnlen(message, CP_TRACE_MAX_TEXT);
    memcpy(text, category, n);
    text[n] = '\0';
    memcpy(text + n + 1, message, m);
    e = new_event(CP_TRACE_LOG, 0);
    e.more = (uint16_t)(n + 1 + m);
    cp_trace_write(e, text, caller);
}
