/*
 * walk.c - the steps of a stack walk: by CFI row, by frame pointer, by a scan
 * of the stack.
 *
 * A frame is exact if its pc is the address of the next instruction: the
 * innermost frame, and a frame that a signal interrupted. In all other frames
 * pc is a return address. It may belong to the next function already, if the
 * call was the last instruction, so the row is looked up one byte before it.
 */
#include "signal/unwinder/walk.h"

#include <ucontext.h>

#include "base/assert/assert.h"
#include "signal/unwinder/arch.h"
#include "signal/unwinder/unwind_table.h"

struct frame {
    struct cp_signal_regs regs;
    bool is_exact;
};

/*
 * Words of 8 bytes that are searched for the return address of a leaf function,
 * which may have pushed registers. Further up, a return address may be left
 * over from an earlier call.
 */
#define SCAN_WORDS 8

/* A value further from the stack pointer than this is not a frame pointer. */
#define MAX_FRAME_BYTES ((uintptr_t)16 << 20)

static inline uintptr_t lookup_pc(const struct frame *f)
{
    return f->regs.pc - (f->is_exact ? 0 : 1);
}

/* Continues in the code that a signal interrupted. */
CP_NO_SANITIZE static bool step_signal(struct cp_signal_walk *w,
                                       struct frame *f)
{
    uintptr_t at = f->regs.sp + CP_ARCH_SIGNAL_CONTEXT, word;
    size_t len = sizeof(ucontext_t);

    CP_ASSERT(w->reader.low <= w->reader.high);
    for (uintptr_t p = at & ~(uintptr_t)7; p < at + len;
         p += CP_STACK_READER_PAGE)
        if (!cp_stack_reader_word(&w->reader, p, &word))
            return false;
    if (at & 7)
        return false;
    cp_arch_regs(&f->regs, (const ucontext_t *)(at + w->reader.shift));
    f->is_exact = true;
    cp_stack_reader_set_stack(&w->reader, f->regs.sp);
    return true;
}

/* Computes the CFA of the less common kinds. Returns false if it is unknown. */
static bool other_cfa(struct cp_signal_walk *w, const struct frame *f,
                      const struct cp_cfi_row *row, uintptr_t *out)
{
    uintptr_t offset = (uintptr_t)(intptr_t)row->cfa_offset;

    switch (row->cfa) {
    case CP_CFA_AUX:
        *out = f->regs.aux + offset;
        return true;
    case CP_CFA_SCRATCH:
        *out = f->regs.scratch + offset;
        return f->is_exact;
    case CP_CFA_PLT:
        *out = f->regs.sp + 8 + ((f->regs.pc & 15) >= offset ? 8 : 0);
        return true;
    case CP_CFA_SP_DEREF:
    case CP_CFA_FP_DEREF:
        offset += row->cfa == CP_CFA_SP_DEREF ? f->regs.sp : f->regs.fp;
        if (!cp_stack_reader_word(&w->reader, offset, out))
            return false;
        *out += (uintptr_t)(intptr_t)row->deref_offset;
        return true;
    default:
        return false;
    }
}

/* Loads a register that is saved `at` words from base, if it is saved. */
static inline bool restore(struct cp_signal_walk *w, uintptr_t base, int16_t at,
                           uintptr_t *value)
{
    if (at == CP_CFI_SAME)
        return true;
    return cp_stack_reader_word(&w->reader,
                                base + (uintptr_t)((intptr_t)at * 8), value);
}

/* A return address that is still in a register; only exact frames know it. */
static bool register_ra(const struct frame *f, const struct cp_cfi_row *row,
                        uintptr_t *out)
{
    if (row->ra == CP_CFI_SAME && CP_ARCH_RA_ON_STACK)
        return false;
    *out = row->ra == CP_CFI_ARG ? f->regs.arg : f->regs.aux;
    return f->is_exact;
}

enum step { STEP_ON, STEP_END, STEP_TRUNCATED };

static inline enum step step_by_row(struct cp_signal_walk *w, struct frame *f,
                                    const struct cp_cfi_row *row)
{
    struct cp_signal_regs *r = &f->regs;
    uintptr_t cfa, pc, fp = r->fp;

    if (row->ra == CP_CFI_END)
        return STEP_END;
    if (row->cfa == CP_CFA_SP)
        cfa = r->sp + (uintptr_t)(intptr_t)row->cfa_offset;
    else if (row->cfa == CP_CFA_FP)
        cfa = r->fp + (uintptr_t)(intptr_t)row->cfa_offset;
    else if (row->cfa == CP_CFA_SIGNAL)
        return step_signal(w, f) ? STEP_ON : STEP_TRUNCATED;
    else if (!other_cfa(w, f, row, &cfa))
        return STEP_TRUNCATED;
    if (row->ra < CP_CFI_MIN) {
        if (cfa < r->sp || !register_ra(f, row, &pc))
            return STEP_TRUNCATED;
    } else if (cfa <= r->sp || !restore(w, cfa, row->ra, &pc)) {
        return STEP_TRUNCATED;
    }
    if (!restore(w, row->flags & CP_CFI_FP_AT_FP ? fp : cfa, row->fp, &r->fp) ||
        !restore(w, row->flags & CP_CFI_AUX_AT_FP ? fp : cfa, row->aux,
                 &r->aux))
        return STEP_TRUNCATED;
    r->pc = cp_arch_strip(pc);
    r->sp = cfa;
    f->is_exact = false;
    return r->pc ? STEP_ON : STEP_END;
}

/*
 * Whether a call instruction may end at this address. The code itself is not
 * read, because another thread may unmap it at any time. Its CFI row excludes
 * most addresses that no call precedes (arch.h). In a module without rows every
 * address is accepted.
 */
static bool is_return_address(const struct cp_signal_walk *w, uintptr_t pc)
{
    const struct cp_unwind_module *m = cp_unwind_table_find(w->table, pc - 1);

    return m &&
           (!m->pcs || cp_arch_may_call(cp_unwind_table_row(w->table, pc - 1)));
}

/* fp points to the caller's fp; the return address follows it. */
static bool step_by_pointer(struct cp_signal_walk *w, struct frame *f)
{
    struct cp_signal_regs *r = &f->regs;
    uintptr_t fp, pc;

    if (r->fp < r->sp || r->fp - r->sp > MAX_FRAME_BYTES ||
        !cp_stack_reader_word(&w->reader, r->fp, &fp) ||
        !cp_stack_reader_word(&w->reader, r->fp + 8, &pc))
        return false;
    pc = cp_arch_strip(pc);
    if (!cp_unwind_table_find(w->table, pc - 1))
        return false;
    *r = (struct cp_signal_regs){ pc, r->fp + 16, fp, r->aux, 0, 0 };
    f->is_exact = false;
    return true;
}

/* Takes the nearest of n words on the stack that may be a return address. */
static bool step_by_scan(struct cp_signal_walk *w, struct frame *f, size_t n)
{
    struct cp_signal_regs *r = &f->regs;
    uintptr_t word, sp = (r->sp + 7) & ~(uintptr_t)7;

    for (size_t i = 0; i < n; i++, sp += 8) {
        if (!cp_stack_reader_word(&w->reader, sp, &word))
            return false;
        if (is_return_address(w, cp_arch_strip(word))) {
            r->pc = cp_arch_strip(word);
            r->sp = sp + 8;
            f->is_exact = false;
            return true;
        }
    }
    return false;
}

/* A function without a row: assembly, generated code, a wild jump. */
static bool step_without_row(struct cp_signal_walk *w, struct frame *f)
{
    uintptr_t lr = f->regs.aux;

    cp_stack_reader_bind(&w->reader, f->regs.sp);
    /* It may be a leaf function without a frame. */
    if (f->is_exact && CP_ARCH_RA_ON_STACK && step_by_scan(w, f, 1))
        return true;
    if (f->is_exact && !CP_ARCH_RA_ON_STACK && is_return_address(w, lr)) {
        f->regs.pc = lr;
        f->is_exact = false;
        return true;
    }
    return step_by_pointer(w, f) ||
           (f->is_exact && step_by_scan(w, f, SCAN_WORDS));
}

static inline enum step step(struct cp_signal_walk *w, struct frame *f,
                             const struct cp_cfi_row *row)
{
    if (row->cfa != CP_CFA_NONE)
        return step_by_row(w, f, row);
    return step_without_row(w, f) ? STEP_ON : STEP_TRUNCATED;
}

/* A word that points outside all code is not a return address. */
static bool is_unmapped_return(struct cp_signal_walk *w, const struct frame *f)
{
    if (cp_unwind_table_find(w->table, lookup_pc(f)))
        return false;
    w->hit_unmapped_pc = true;
    return !f->is_exact;
}

/*
 * The walk has written the frames after the first CP_WALK_LEAF into a ring
 * buffer of CP_WALK_ROOT. Puts them in order, after CP_FRAME_ELIDED if some
 * were overwritten.
 */
static size_t join_ring(uintptr_t *out, size_t n)
{
    uintptr_t *ring = out + CP_WALK_LEAF + 1, ordered[CP_WALK_ROOT];
    size_t n_ring = n - CP_WALK_LEAF;

    CP_ASSERT(n > CP_WALK_LEAF && n <= CP_WALK_LIMIT);
    if (n_ring <= CP_WALK_ROOT) {
        for (size_t i = 0; i < n_ring; i++)
            out[CP_WALK_LEAF + i] = ring[i];
        return n;
    }
    for (size_t i = 0; i < CP_WALK_ROOT; i++)
        ordered[i] = ring[(n_ring + i) % CP_WALK_ROOT];
    for (size_t i = 0; i < CP_WALK_ROOT; i++)
        ring[i] = ordered[i];
    out[CP_WALK_LEAF] = CP_FRAME_ELIDED;
    return CP_WALK_MAX;
}

/* Does the frame continue in code that no call precedes? */
static bool is_landing_pad(const struct cp_signal_walk *w,
                           const struct frame *f)
{
    return !f->is_exact && cp_unwind_table_find(w->table, f->regs.pc) &&
           !is_return_address(w, f->regs.pc);
}

/*
 * Walks the stack. While an exception is delivered, the C++ unwinder has
 * already overwritten a return address with the address of a landing pad, which
 * no call precedes. If has_landing_pad is not NULL, such a frame is looked up
 * at its pc itself, and *has_landing_pad is set.
 */
static inline size_t walk(struct cp_signal_walk *w, struct cp_signal_regs regs,
                          uintptr_t out[CP_WALK_MAX], bool *has_landing_pad)
{
    struct frame f = { regs, true };
    enum step next = STEP_ON;
    size_t n = 0;

    w->hit_unmapped_pc = false;
    cp_stack_reader_set_stack(&w->reader, regs.sp);
    while (next == STEP_ON && n < CP_WALK_LIMIT) {
        bool is_landing = has_landing_pad && is_landing_pad(w, &f);
        uintptr_t pc = is_landing ? f.regs.pc : lookup_pc(&f);
        const struct cp_cfi_row *row = cp_unwind_table_row(w->table, pc);
        size_t at = n;

        if (is_landing)
            *has_landing_pad = true;
        if (row->cfa == CP_CFA_NONE && is_unmapped_return(w, &f)) {
            next = STEP_TRUNCATED;
            break;
        }
        if (at >= CP_WALK_LEAF)
            at = CP_WALK_LEAF + 1 + (n - CP_WALK_LEAF) % CP_WALK_ROOT;
        CP_ASSERT(at < CP_WALK_MAX);
        out[at] = pc;
        n++;
        next = step(w, &f, row);
    }
    w->end = next == STEP_ON    ? CP_WALK_LONG
             : next == STEP_END ? CP_WALK_WHOLE
                                : CP_WALK_TRUNCATED;
    return n > CP_WALK_LEAF ? join_ring(out, n) : n;
}

/* Walks with landing pads; if that does not reach the root, without. */
static size_t retry_walk(struct cp_signal_walk *w, struct cp_signal_regs regs,
                         uintptr_t out[CP_WALK_MAX])
{
    bool has_landing_pad = false;
    size_t n = walk(w, regs, out, &has_landing_pad);

    return w->end == CP_WALK_WHOLE || !has_landing_pad
               ? n
               : walk(w, regs, out, NULL);
}

size_t cp_signal_walk(struct cp_signal_walk *w, struct cp_signal_regs regs,
                      uintptr_t out[CP_WALK_MAX])
{
    size_t n;

    CP_ASSERT(w->table && w->table->cache);
    n = walk(w, regs, out, NULL);
    return w->end == CP_WALK_TRUNCATED ? retry_walk(w, regs, out) : n;
}
