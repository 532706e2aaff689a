/*
 * unwind - the cost of one frame: libcpprof's unwinder, libgcc's and
 * libunwind's, from the registers of a signal, in one run.
 *
 * The stack alternates between this program and libc's qsort, which has no
 * frame pointers. Prints the best of many rounds for each: nanoseconds per
 * frame and the number of frames. Skips libunwind if it is not installed.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unwind.h>

#include "signal/tables/readers.h"
#include "signal/unwinder/arch.h"
#include "unwind/objects.h"

#if defined(HAVE_LIBUNWIND)
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#endif

#define ROUNDS 2000
#define DEPTH 15

static struct cp_objects *objects;
static int left;

static double now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

struct result {
    double best_ns;
    size_t n;
};

static size_t walk_ours(ucontext_t *context, bool knows_stack)
{
    struct cp_reader_slot *place = cp_readers_enter(0);
    struct cp_signal_walk w = { .table = cp_unwind_table_current() };
    struct cp_signal_regs regs;
    size_t n;

    cp_arch_regs(&regs, context);
    if (knows_stack) {
        w.reader.stack_low = regs.sp - 65536;
        w.reader.stack_high = (regs.sp + 16384) & ~(uintptr_t)4095;
    }
    n = cp_signal_walk(&w, regs, place->frames);
    cp_readers_exit(place);
    return n;
}

static size_t walk_as_thread(ucontext_t *context)
{
    return walk_ours(context, true);
}

static size_t walk_as_stranger(ucontext_t *context)
{
    return walk_ours(context, false);
}

static _Unwind_Reason_Code count_frame(struct _Unwind_Context *c, void *n)
{
    (void)_Unwind_GetIP(c);
    ++*(size_t *)n;
    return _URC_NO_REASON;
}

/* Starts from its caller; the few additional frames are counted too. */
static size_t walk_libgcc(ucontext_t *context)
{
    size_t n = 0;

    (void)context;
    (void)_Unwind_Backtrace(count_frame, &n);
    return n;
}

#if defined(HAVE_LIBUNWIND)
static size_t walk_libunwind(ucontext_t *context)
{
    unw_cursor_t cursor;
    unw_word_t pc;
    size_t n = 0;

    if (unw_init_local2(&cursor, context, UNW_INIT_SIGNAL_FRAME) != 0)
        return 0;
    do {
        (void)unw_get_reg(&cursor, UNW_REG_IP, &pc);
        n++;
    } while (unw_step(&cursor) > 0);
    return n;
}
#endif

static struct result measure(size_t (*walk)(ucontext_t *), ucontext_t *context)
{
    struct result r = { 1e18, 0 };

    for (int i = 0; i < ROUNDS; i++) {
        double start = now_ns(), took;

        r.n = walk(context);
        took = now_ns() - start;
        if (took < r.best_ns)
            r.best_ns = took;
    }
    return r;
}

static void show(const char *name, struct result r)
{
    printf("%-24s %7.1f ns a frame, %zu frames\n", name,
           r.best_ns / (double)r.n, r.n);
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)info;
    show("cpprof, known stack", measure(walk_as_thread, context));
    show("cpprof, unknown stack", measure(walk_as_stranger, context));
    show("libgcc", measure(walk_libgcc, context));
#if defined(HAVE_LIBUNWIND)
    show("libunwind unw_step", measure(walk_libunwind, context));
#endif
}

static int compare(const void *a, const void *b)
{
    int numbers[2] = { 2, 1 };

    (void)a;
    (void)b;
    if (left-- > 0)
        qsort(numbers, 2, sizeof(numbers[0]), compare);
    else if (left == -1)
        (void)raise(SIGUSR1);
    return 0;
}

int main(void)
{
    struct sigaction action = { .sa_sigaction = on_signal,
                                .sa_flags = SA_SIGINFO };
    struct cp_error err = { 0 };
    struct cp_objects_stats stats;
    int numbers[2] = { 2, 1 };
    double start = now_ns();

    objects = cp_objects_new((size_t)64 << 20, &err);
    if (!objects || cp_objects_refresh(objects, true, &err) != CP_OK) {
        fprintf(stderr, "unwind: %s\n", err.msg);
        return 1;
    }
    start = now_ns() - start;
    cp_objects_stats(objects, &stats);
    printf("tables: %zu objects, %zu rows, %zu KB, %.1f ms\n", stats.n_objects,
           stats.n_rows, stats.bytes / 1024, start / 1e6);
    (void)sigaction(SIGUSR1, &action, NULL);
    left = DEPTH;
    qsort(numbers, 2, sizeof(numbers[0]), compare);
    cp_objects_free(objects);
    return 0;
}
