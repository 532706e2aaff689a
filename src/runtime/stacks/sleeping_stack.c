/*
 * sleeping_stack.c - parses /proc/self/task/TID/syscall, copies the stack and
 * walks the copy.
 *
 * The file reads "running", or "NR ARG*6 SP PC", or "-1 SP PC" if the thread is
 * blocked outside a system call. All but NR are hexadecimal with "0x".
 */
#include "runtime/stacks/sleeping_stack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/assert/assert.h"
#include "runtime/stacks/call_site_check.h"
#include "runtime/stacks/stack_writer.h"
#include "runtime/threads/thread_state.h"
#include "runtime/threads/wait_switches.h"
#include "signal/tables/readers.h"
#include "signal/tables/thread.h"
#include "signal/unwinder/unwind_table.h"

#define PAGE ((size_t)4096)
#define N_PAGES (CP_SLEEPING_STACK_BYTES / PAGE)
#define SHORT_BYTES (2 * PAGE)
#define FEW_FRAMES 3
#define MAX_FRAME_WORDS 1024 /* words searched for the frame pointer */

/* Reads the file and adds a NUL; false if it cannot be read. */
static bool read_syscall(int fd, char *out, size_t cap)
{
    ssize_t n = pread(fd, out, cap - 1, 0);

    out[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* Fallback if the kernel does not report registers: the state of the thread. */
static enum cp_sleep_result read_state_only(int32_t tid)
{
    struct cp_thread_state state;

    cp_wait_switches_save_registers();
    if (!cp_thread_state_read(tid, "", 0, &state))
        return CP_SLEEP_EXITED;
    return state.letter == 'R' ? CP_SLEEP_RUNNING : CP_SLEEP_PARTIAL;
}

/*
 * Parses the last of the blank-separated hexadecimal numbers in text[0..*len)
 * and removes it from the length.
 */
static uint64_t take_last_number(const char *text, size_t *len)
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

static bool parse_registers(const char *text, struct cp_signal_regs *out)
{
    size_t len = strcspn(text, "\n");

    *out = (struct cp_signal_regs){ 0 };
    out->pc = (uintptr_t)take_last_number(text, &len);
    out->sp = (uintptr_t)take_last_number(text, &len);
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
    out->pc = (uintptr_t)take_last_number(text, &len);
    out->sp = (uintptr_t)take_last_number(text, &len);
    for (size_t i = CP_SLEEP_ARGS; text[0] != '-' && i-- > 0;)
        out->args[i] = (uintptr_t)take_last_number(text, &len);
    return CP_SLEEP_PARTIAL;
}

/*
 * Copies up to `cap` bytes of the stack from sp up; returns the bytes copied.
 * One iovec a page: the kernel stops at the first page that is not mapped.
 */
static size_t copy_stack(uintptr_t sp, char *copy, size_t cap)
{
    struct iovec local = { copy, cap }, remote[N_PAGES + 1];
    size_t first = PAGE - (sp & (PAGE - 1)), at = first, n = 1;
    ssize_t got;

    CP_ASSERT(cap % PAGE == 0 && cap <= CP_SLEEPING_STACK_BYTES);
    remote[0] = (struct iovec){ (void *)sp, first };
    for (; at + PAGE <= cap; at += PAGE)
        remote[n++] = (struct iovec){ (void *)(sp + at), PAGE };
    CP_ASSERT(n <= N_PAGES + 1);
    got = process_vm_readv(gettid(), &local, 1, remote, n, 0);
    return got > 0 ? (size_t)got : 0;
}

/* Walks len bytes of the copy; whether it has reached the outermost frame. */
static bool walk_copy(struct cp_sleeping_stack *s, struct cp_signal_regs regs,
                      size_t len)
{
    struct cp_reader_slot *slot = cp_readers_enter(0);
    struct cp_signal_walk walk = {
        .reader = { .stack_low = regs.sp,
                    .stack_high = regs.sp + (len & ~(size_t)7),
                    .shift = (uintptr_t)s->copy - regs.sp },
    };

    CP_ASSERT(len <= sizeof(s->copy));
    if (!slot)
        return false;
    walk.table = cp_unwind_table_current();
    s->n = cp_signal_walk(&walk, regs, slot->frames);
    CP_ASSERT(s->n <= CP_WALK_MAX);
    memcpy(s->frames, slot->frames, s->n * sizeof(*s->frames));
    cp_readers_exit(slot);
    return walk.end == CP_WALK_WHOLE;
}

/*
 * Walks with the frame pointer in regs and checks the call of the function at
 * frame n - 1, where the walk without a frame pointer has ended.
 */
static enum cp_call_site_result
try_frame_pointer(struct cp_sleeping_stack *s,
                  const struct cp_signal_regs *regs, size_t len, size_t n)
{
    uintptr_t pc = s->frames[n - 1];

    if (!walk_copy(s, *regs, len) || s->n <= n || s->frames[n - 1] != pc)
        return CP_CALL_SITE_NO;
    return cp_call_site_check(cp_unwind_table_current(), s->frames[n] + 1, pc);
}

/*
 * Searches the copy for the frame pointer of the function in which the walk has
 * ended. It points to a word of the stack; the return address is in the next
 * word. Returns the lowest address at which the call site matches, else the
 * lowest with an indirect call, else 0. The caller is in a reader slot.
 */
static uintptr_t find_frame_pointer(struct cp_sleeping_stack *s,
                                    struct cp_signal_regs regs, size_t len)
{
    const uintptr_t *words = (const uintptr_t *)(const void *)s->copy;
    size_t n = s->n, n_words = len / sizeof(*words);
    uintptr_t pc = s->frames[n - 1], fallback = 0;

    CP_ASSERT(n > 0 && n <= CP_WALK_MAX);
    if (n_words > MAX_FRAME_WORDS)
        n_words = MAX_FRAME_WORDS;
    for (size_t i = 0; i + 1 < n_words; i++) {
        enum cp_call_site_result result;

        if (!cp_unwind_table_find(cp_unwind_table_current(), words[i + 1]))
            continue;
        regs.fp = regs.sp + i * sizeof(*words);
        s->frames[n - 1] = pc;
        result = try_frame_pointer(s, &regs, len, n);
        if (result == CP_CALL_SITE_YES)
            return regs.fp;
        if (result == CP_CALL_SITE_UNKNOWN && !fallback)
            fallback = regs.fp;
    }
    return fallback;
}

/*
 * Searches for the frame pointer and walks with it. If none is found, s is
 * unchanged.
 */
static bool walk_with_found_fp(struct cp_sleeping_stack *s,
                               struct cp_signal_regs regs, size_t len)
{
    struct cp_reader_slot *slot = s->n > 0 ? cp_readers_enter(0) : NULL;

    if (slot) {
        regs.fp = find_frame_pointer(s, regs, len);
        cp_readers_exit(slot);
    }
    return walk_copy(s, regs, len);
}

/* Most stacks are short, so two pages are tried before the whole stack. */
static bool walk_stack(struct cp_sleeping_stack *s, struct cp_signal_regs regs)
{
    size_t len = copy_stack(regs.sp, s->copy, SHORT_BYTES);

    if (len > 0 && walk_copy(s, regs, len))
        return true;
    len = copy_stack(regs.sp, s->copy, CP_SLEEPING_STACK_BYTES);
    return len > 0 && (walk_copy(s, regs, len) ||
                       (!regs.fp && walk_with_found_fp(s, regs, len)));
}

bool cp_sleeping_stack_walk_from(struct cp_sleeping_stack *s,
                                 const struct cp_signal_regs *regs)
{
    s->n = 0;
    return regs->pc && regs->sp && !(regs->sp & 7) && walk_stack(s, *regs);
}

/*
 * The wait must be the same before and after the walk; otherwise the record or
 * the stack may belong to a different call. The hook's frame is replaced by the
 * function that the program has called.
 */
bool cp_sleeping_stack_walk_saved(struct cp_sleeping_stack *s,
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

    if (!since_ns || !cp_sleeping_stack_walk_from(s, &regs))
        return false;
    entry = atomic_load(&t->waits.entry);
    if (entry)
        s->frames[0] = entry;
    return atomic_load(&t->waits.since_ns) == since_ns;
}

void cp_sleeping_stack_complete(struct cp_sleeping_stack *s,
                                const struct cp_signal_thread *t)
{
    size_t n = s->n;

    memcpy(s->partial, s->frames, n * sizeof(*s->frames));
    if (cp_sleeping_stack_walk_saved(s, t))
        return;
    memcpy(s->frames, s->partial, n * sizeof(*s->frames));
    s->n = n;
    if (n < FEW_FRAMES) /* libc without unwind tables (musl): hooks can help */
        cp_wait_switches_save_registers();
    if (n > 0)
        return;
    CP_ASSERT(s->n == 0);
    s->frames[s->n++] = CP_FRAME_ASLEEP;
    if (t->runtime.start_pc)
        s->frames[s->n++] = t->runtime.start_pc;
}

static enum cp_sleep_result walk_sleeping(struct cp_sleeping_stack *s, int fd)
{
    struct cp_signal_regs regs;
    char after[sizeof(s->syscall_text)];
    bool is_complete;

    if (!read_syscall(fd, s->syscall_text, sizeof(s->syscall_text)))
        return errno == ESRCH ? CP_SLEEP_EXITED : CP_SLEEP_PARTIAL;
    if (s->syscall_text[0] == 'r')
        return CP_SLEEP_RUNNING;
    is_complete =
        parse_registers(s->syscall_text, &regs) && walk_stack(s, regs);
    if (!read_syscall(fd, after, sizeof(after)) ||
        strcmp(s->syscall_text, after) != 0)
        return CP_SLEEP_RUNNING;
    return is_complete ? CP_SLEEP_WALKED : CP_SLEEP_PARTIAL;
}

enum cp_sleep_result cp_sleeping_stack_walk(struct cp_sleeping_stack *s,
                                            int32_t tid)
{
    enum cp_sleep_result result;
    char path[64];
    int fd;

    s->n = 0;
    s->syscall_text[0] = '\0';
    (void)snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int)tid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT || errno == ESRCH ? CP_SLEEP_EXITED
                                                 : read_state_only(tid);
    result = walk_sleeping(s, fd);
    (void)close(fd);
    return result;
}
