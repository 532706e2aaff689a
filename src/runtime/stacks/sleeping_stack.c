/*
 * sleeping_stack.c - stacks of sleeping threads, by /proc and a copy of their
 * memory.
 *
 * /proc/self/task/TID/syscall reads "running", or "NR ARG*6 SP PC", or, when
 * the thread is stopped elsewhere in the kernel, "-1 SP PC". It is read again
 * after the walk: if it says the same, the thread has not moved (or is back
 * where it was, with the same stack).
 */
#include "runtime/stacks/sleeping_stack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/stacks/call_site_check.h"
#include "runtime/stacks/stack_writer.h"
#include "runtime/threads/thread_state.h"
#include "runtime/threads/wait_switches.h"
#include "signal/tables/readers.h"
#include "signal/tables/thread.h"
#include "signal/unwinder/regs.h"
#include "signal/unwinder/unwind_table.h"
#include "signal/unwinder/walk.h"

#define PAGE ((size_t)4096)
#define N_PAGES (CP_SLEEPING_STACK_BYTES / PAGE)
#define SHORT_BYTES (2 * PAGE)
#define FEW_FRAMES 3
#define MAX_GUESSES 1024 /* a frame may be so many words long */

/* What the file says now, closed by NUL; false: it cannot be had. */
static bool read_place(int fd, char *out, size_t cap)
{
    ssize_t n = pread(fd, out, cap - 1, 0);

    out[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* The kernel does not say where the thread is; does it run at all? */
static enum cp_sleep_result read_state_only(int32_t tid)
{
    struct cp_thread_state state;

    cp_wait_switches_save_registers();
    if (!cp_thread_state_read(tid, "", 0, &state))
        return CP_SLEEP_EXITED;
    return state.letter == 'R' ? CP_SLEEP_RUNNING : CP_SLEEP_PARTIAL;
}

/* The hexadecimal number after the last blank of the first len bytes. */
static uint64_t last_number(const char *text, size_t *len)
{
    size_t at = *len;
    uint64_t value = 0;

    while (at > 0 && text[at - 1] != ' ')
        at--;
    for (const char *p = text + at + 2; p < text + *len; p++) {
        char c = *p;

        if (c >= '0' && c <= '9')
            value = value << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value << 4 | (uint64_t)(c - 'a' + 10);
    }
    *len = at > 0 ? at - 1 : 0;
    return value;
}

static bool parse_place(const char *text, struct cp_signal_regs *out)
{
    size_t len = strcspn(text, "\n");

    *out = (struct cp_signal_regs){ 0 };
    out->pc = (uintptr_t)last_number(text, &len);
    out->sp = (uintptr_t)last_number(text, &len);
    return out->pc && out->sp && !(out->sp & 7);
}

enum cp_sleep_result
cp_sleeping_stack_read_registers(struct cp_sleep_registers *out, int32_t tid)
{
    char text[256];
    size_t len;

    *out = (struct cp_sleep_registers){ 0 };
    cp_thread_file_read(tid, "syscall", text, sizeof(text));
    if (text[0] == '\0')
        return read_state_only(tid);
    if (text[0] == 'r')
        return CP_SLEEP_RUNNING;
    len = strcspn(text, "\n");
    out->pc = (uintptr_t)last_number(text, &len);
    out->sp = (uintptr_t)last_number(text, &len);
    for (size_t i = CP_SLEEP_ARGS; text[0] != '-' && i-- > 0;)
        out->args[i] = (uintptr_t)last_number(text, &len);
    return CP_SLEEP_PARTIAL;
}

/* Copies up to `most` bytes of the stack from sp up, as far as it goes. */
static size_t copy_stack(uintptr_t sp, char *copy, size_t most)
{
    struct iovec local = { copy, most }, remote[N_PAGES + 1];
    size_t first = PAGE - (sp & (PAGE - 1)), at = first, n = 1;
    ssize_t got;

    remote[0] = (struct iovec){ (void *)sp, first };
    for (; at + PAGE <= most; at += PAGE)
        remote[n++] = (struct iovec){ (void *)(sp + at), PAGE };
    got = process_vm_readv(gettid(), &local, 1, remote, n, 0);
    return got > 0 ? (size_t)got : 0;
}

static bool walk_copy(struct cp_sleeping_stack *l, struct cp_signal_regs regs,
                      size_t len)
{
    struct cp_reader_slot *place = cp_readers_enter(0);
    struct cp_signal_walk walk = {
        .reader = { .stack_low = regs.sp,
                    .stack_high = regs.sp + (len & ~(size_t)7),
                    .shift = (uintptr_t)l->copy - regs.sp },
    };

    if (!place)
        return false;
    walk.table = cp_unwind_table();
    l->n = cp_signal_walk(&walk, regs, place->frames);
    memcpy(l->frames, place->frames, l->n * sizeof(*l->frames));
    cp_readers_exit(place);
    return walk.end == CP_WALK_WHOLE;
}

/* Walks with that frame pointer; does it fit the function at frame n - 1? */
static enum cp_call_site_result walk_with(struct cp_sleeping_stack *l,
                                          const struct cp_signal_regs *regs,
                                          size_t len, size_t n)
{
    uintptr_t pc = l->frames[n - 1];

    if (!walk_copy(l, *regs, len) || l->n <= n || l->frames[n - 1] != pc)
        return CP_CALL_SITE_NO;
    return cp_call_site_check(cp_unwind_table(), l->frames[n] + 1, pc);
}

/* The first word of the stack that fits best; 0 if none does. */
static uintptr_t guess(struct cp_sleeping_stack *l, struct cp_signal_regs regs,
                       size_t len)
{
    const uintptr_t *words = (const uintptr_t *)(const void *)l->copy;
    size_t n = l->n, n_words = len / sizeof(*words);
    uintptr_t pc = l->frames[n - 1], perhaps = 0;

    if (n_words > MAX_GUESSES)
        n_words = MAX_GUESSES;
    for (size_t i = 0; i + 1 < n_words; i++) {
        enum cp_call_site_result fit;

        if (!cp_unwind_table_find(cp_unwind_table(), words[i + 1]))
            continue;
        regs.fp = regs.sp + i * sizeof(*words);
        l->frames[n - 1] = pc;
        fit = walk_with(l, &regs, len, n);
        if (fit == CP_CALL_SITE_YES)
            return regs.fp;
        if (fit == CP_CALL_SITE_UNKNOWN && !perhaps)
            perhaps = regs.fp;
    }
    return perhaps;
}

/*
 * Where the walk has stopped for want of the frame pointer: it points to a word
 * of the stack, and the caller's address is in the next one. The lowest that
 * leads to the root, from a place that calls the function, is right.
 */
static bool walk_guessed(struct cp_sleeping_stack *l,
                         struct cp_signal_regs regs, size_t len)
{
    struct cp_reader_slot *place = l->n > 0 ? cp_readers_enter(0) : NULL;

    if (place) {
        regs.fp = guess(l, regs, len);
        cp_readers_exit(place);
    }
    return walk_copy(l, regs, len); /* or once more what is sure */
}

/* Most stacks are short: a little of one is tried before all of it. */
static bool walk_stack(struct cp_sleeping_stack *l, struct cp_signal_regs regs)
{
    size_t len = copy_stack(regs.sp, l->copy, SHORT_BYTES);

    if (len > 0 && walk_copy(l, regs, len))
        return true;
    len = copy_stack(regs.sp, l->copy, CP_SLEEPING_STACK_BYTES);
    return len > 0 && (walk_copy(l, regs, len) ||
                       (!regs.fp && walk_guessed(l, regs, len)));
}

bool cp_sleeping_stack_walk_from(struct cp_sleeping_stack *l,
                                 const struct cp_signal_regs *regs)
{
    l->n = 0;
    return regs->pc && regs->sp && !(regs->sp & 7) && walk_stack(l, *regs);
}

/*
 * The wait is the same before and after: else it may be another's stack.
 * Instead of the hook there is the function that it has called.
 */
bool cp_sleeping_stack_walk_saved(struct cp_sleeping_stack *l,
                                  const struct cp_signal_thread *t)
{
    uint64_t since_ns = atomic_load(&t->waits.since_ns);
    struct cp_signal_regs regs = { atomic_load(&t->waits.regs[0]),
                                   atomic_load(&t->waits.regs[1]),
                                   atomic_load(&t->waits.regs[2]),
                                   atomic_load(&t->waits.regs[3]),
                                   0,
                                   0 };
    uintptr_t entry;

    if (!since_ns || !cp_sleeping_stack_walk_from(l, &regs))
        return false;
    entry = atomic_load(&t->waits.entry);
    if (entry)
        l->frames[0] = entry;
    return atomic_load(&t->waits.since_ns) == since_ns;
}

void cp_sleeping_stack_complete(struct cp_sleeping_stack *l,
                                const struct cp_signal_thread *t)
{
    size_t n = l->n;

    memcpy(l->partial, l->frames, n * sizeof(*l->frames));
    if (cp_sleeping_stack_walk_saved(l, t))
        return;
    memcpy(l->frames, l->partial, n * sizeof(*l->frames));
    l->n = n;
    if (n < FEW_FRAMES) /* libc has no tables, as musl: hooks can help */
        cp_wait_switches_save_registers();
    if (n > 0)
        return;
    l->frames[l->n++] = CP_FRAME_ASLEEP;
    if (t->runtime.start_pc)
        l->frames[l->n++] = t->runtime.start_pc;
}

static enum cp_sleep_result walk_sleeping(struct cp_sleeping_stack *l, int fd)
{
    struct cp_signal_regs regs;
    char after[sizeof(l->place)];
    bool is_whole;

    if (!read_place(fd, l->place, sizeof(l->place)))
        return errno == ESRCH ? CP_SLEEP_EXITED : CP_SLEEP_PARTIAL;
    if (l->place[0] == 'r')
        return CP_SLEEP_RUNNING;
    is_whole = parse_place(l->place, &regs) && walk_stack(l, regs);
    if (!read_place(fd, after, sizeof(after)) || strcmp(l->place, after) != 0)
        return CP_SLEEP_RUNNING;
    return is_whole ? CP_SLEEP_WALKED : CP_SLEEP_PARTIAL;
}

enum cp_sleep_result cp_sleeping_stack_walk(struct cp_sleeping_stack *l,
                                            int32_t tid)
{
    enum cp_sleep_result still;
    char path[64];
    int fd;

    l->n = 0;
    l->place[0] = '\0';
    (void)snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int)tid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT || errno == ESRCH ? CP_SLEEP_EXITED
                                                 : read_state_only(tid);
    still = walk_sleeping(l, fd);
    (void)close(fd);
    return still;
}
