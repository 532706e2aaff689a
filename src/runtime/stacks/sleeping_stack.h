/*
 * sleeping_stack - reads the stack of a sleeping thread from outside.
 *
 * A signal would interrupt the system call of a sleeping thread
 * (docs/harmless.md), so the library never sends one. It reads the stack
 * pointer, the pc and the arguments of the call from /proc/self/task/TID/
 * syscall, copies the stack with process_vm_readv and walks the copy.
 *
 * Why the result is right, or is reported as partial:
 *
 * 1. The kernel fills the file only for a thread that is off the CPU, and
 *    checks that it stays so while it collects the values. Otherwise the file
 *    reads "running". So pc, sp and arguments belong to one sleep.
 * 2. The library reads the file before it copies and after it has walked. If
 *    the contents differ, the thread has run: the result is CP_SLEEP_RUNNING
 *    and the frames are dropped.
 * 3. If the contents are equal and the thread slept all the time, then no
 *    return address at or above sp has changed, since only the thread itself
 *    writes them. The copy is exact.
 * 4. If the contents are equal but the thread ran and came back to the same
 *    call with the same sp, pc and arguments, the frames that it did not return
 *    from are unchanged. Other frames in the copy may be of either sleep. Such
 *    a mix needs two call paths with equal frame sizes within one walk; it is
 *    the only wrong stack that this method cannot detect.
 * 5. The walk reads nothing outside the copy, and the reader slot keeps the
 *    unwind table mapped. CP_SLEEP_WALKED means that it reached the outermost
 *    frame. Unknown code or a stack larger than the copy gives
 * CP_SLEEP_PARTIAL.
 * 6. The frame pointer of the leaf is unknown. If the walk stops because it
 *    needs the frame pointer, the words of the copy are tried in turn. A word
 *    is accepted only if the walk then reaches the root and the code before the
 *    return address calls the function (call_site_check.h). If no word is
 *    accepted, the result is partial.
 *
 * A hook may have saved its registers (cp_sleeping_stack_walk_saved). It stores
 * the registers, then the time of the wait; it clears the time before it
 * returns. While the time is the same before and after the walk, the hook's
 * frame exists and all its callers' frames are unchanged: that stack is exact.
 *
 * The kernel does not fill the file for a program that has dropped privileges
 * (a server that root started). /proc/self/task/TID/stat then gives the state
 * alone, and hooks start to save registers.
 *
 * Context: the endpoint thread and the wall-clock sampler; never a handler.
 * Locking: none.
 * Ordering: trace_wait_ns of a thread is stored with release after its
 * registers; this module loads it before them and after the walk.
 * Failure: see enum cp_sleep_result.
 */
#ifndef CP_SLEEPING_STACK_H
#define CP_SLEEPING_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "signal/unwinder/walk.h"

struct cp_signal_regs;
struct cp_signal_thread;

enum cp_sleep_result {
    CP_SLEEP_WALKED,  /* asleep; the frames reach the outermost one */
    CP_SLEEP_PARTIAL, /* asleep; the frames end early, or there are none */
    CP_SLEEP_RUNNING, /* not asleep: it may reply to a request */
    CP_SLEEP_EXITED,  /* no such thread */
};

#define CP_SLEEP_ARGS 6

/* Registers of a sleeping thread, as far as the kernel reports them. */
struct cp_sleep_registers {
    uintptr_t args[CP_SLEEP_ARGS]; /* arguments of the system call */
    uintptr_t sp, pc;              /* 0 means not reported */
};

/* Maximum size of the copy. */
#define CP_SLEEPING_STACK_BYTES ((size_t)128 << 10)

/* The stack of one thread, and buffers of the walk; too large for a stack. */
struct cp_sleeping_stack {
    size_t n;                       /* frames; 0 to CP_WALK_MAX */
    uintptr_t frames[CP_WALK_MAX];  /* leaf first */
    uintptr_t partial[CP_WALK_MAX]; /* scratch of cp_sleeping_stack_complete */
    char syscall_text[256]; /* the file "syscall"; "" if it is not readable */
    char copy[CP_SLEEPING_STACK_BYTES];
};

/* Walks the stack of a thread of this process. */
enum cp_sleep_result cp_sleeping_stack_walk(struct cp_sleeping_stack *s,
                                            int32_t tid);

/*
 * Completes a CP_SLEEP_PARTIAL walk by the registers that a hook has saved. If
 * there are none and no frame is known, the stack becomes "[asleep, stack not
 * known]" and the thread's start function.
 */
void cp_sleeping_stack_complete(struct cp_sleeping_stack *s,
                                const struct cp_signal_thread *t);

/*
 * Walks the stack of a thread in a hooked call, by the registers that the hook
 * has saved. Returns false if the thread is in no such call, or has left it.
 */
bool cp_sleeping_stack_walk_saved(struct cp_sleeping_stack *s,
                                  const struct cp_signal_thread *t);

/*
 * Reads the registers of a sleeping thread, without a walk. Returns
 * CP_SLEEP_RUNNING, CP_SLEEP_EXITED, or CP_SLEEP_PARTIAL with *out filled as
 * far as the kernel reports them.
 */
enum cp_sleep_result
cp_sleeping_stack_read_registers(struct cp_sleep_registers *out, int32_t tid);

/*
 * Walks a stack of this process from these registers to the root. The result is
 * valid if the function that had the registers has not returned since.
 */
bool cp_sleeping_stack_walk_from(struct cp_sleeping_stack *s,
                                 const struct cp_signal_regs *regs);

#endif
