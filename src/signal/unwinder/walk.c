/*
 * walk.c - see walk.h.
 *
 * A frame is `exact` when its pc is where it stands: the innermost one, and
 * one that a signal interrupted. In the others pc is a return address, which
 * may already belong to the next function (the call was the last instruction),
 * so rules are looked up one byte before it.
 */
#include "signal/unwinder/walk.h"

#include <ucontext.h>

#include "signal/unwinder/arch.h"
#include "signal/unwinder/cfi_row.h"
#include "signal/unwinder/no_sanitize.h"
#include "signal/unwinder/regs.h"
#include "signal/unwinder/stack_reader.h"
#include "signal/unwinder/unwind_table.h"

struct frame {
    struct cp_signal_regs regs;
    bool is_exact;
};

/*
 * How far up the stack the return address of a leaf is looked for, in words:
 * it may have saved registers. Further up, what looks like one may be left over
 * from a call that is long done.
 */
#define SCAN_WORDS 8

/* No frame is larger; a frame pointer that says so is none. */
#define LARGEST_FRAME ((uintptr_t)16 << 20)

static inline uintptr_t lookup_pc(const struct frame *f)
{
    return f->regs.pc - (f->is_exact ? 0 : 1);
}

/* Goes on in the code that a signal interrupted. */
CP_NO_SANITIZE static bool step_signal(struct cp_signal_walk *w,
                                       struct frame *f)
{
    uintptr_t at = f->regs.sp + CP_ARCH_SIGNAL_CONTEXT, word;
    size_t len = sizeof(ucontext_t);

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

/* The rules but the two commonest; false: no CFA. */
static bool other_cfa(struct cp_signal_walk *w, const struct frame *f,
                      const struct cp_cfi_row *rule, uintptr_t *out)
{
    uintptr_t offset = (uintptr_t)(intptr_t)rule->cfa_offset;

    switch (rule->cfa) {
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
        offset += rule->cfa == CP_CFA_SP_DEREF ? f->regs.sp : f->regs.fp;
        if (!cp_stack_reader_word(&w->reader, offset, out))
            return false;
        *out += (uintptr_t)(intptr_t)rule->deref_offset;
        return true;
    default:
        return false;
    }
}

/* A saved register: `at` words from base, or unchanged. */
static inline bool restore(struct cp_signal_walk *w, uintptr_t base, int16_t at,
                           uintptr_t *value)
{
    if (at == CP_CFI_SAME)
        return true;
    return cp_stack_reader_word(&w->reader,
                                base + (uintptr_t)((intptr_t)at * 8), value);
}

/* A return address that was never saved: only an interrupted frame has it. */
static bool register_ra(const struct frame *f, const struct cp_cfi_row *rule,
                        uintptr_t *out)
{
    if (rule->ra == CP_CFI_SAME && CP_ARCH_RA_ON_STACK)
        return false;
    *out = rule->ra == CP_CFI_ARG ? f->regs.arg : f->regs.aux;
    return f->is_exact;
}

enum step { STEP_ON, STEP_END, STEP_TRUNCATED };

static inline enum step step_by_row(struct cp_signal_walk *w, struct frame *f,
                                    const struct cp_cfi_row *rule)
{
    struct cp_signal_regs *r = &f->regs;
    uintptr_t cfa, pc, fp = r->fp;

    if (rule->ra == CP_CFI_END)
        return STEP_END;
    if (rule->cfa == CP_CFA_SP)
        cfa = r->sp + (uintptr_t)(intptr_t)rule->cfa_offset;
    else if (rule->cfa == CP_CFA_FP)
        cfa = r->fp + (uintptr_t)(intptr_t)rule->cfa_offset;
    else if (rule->cfa == CP_CFA_SIGNAL)
        return step_signal(w, f) ? STEP_ON : STEP_TRUNCATED;
    else if (!other_cfa(w, f, rule, &cfa))
        return STEP_TRUNCATED;
    if (rule->ra < CP_CFI_MIN) {
        if (cfa < r->sp || !register_ra(f, rule, &pc))
            return STEP_TRUNCATED;
    } else if (cfa <= r->sp || !restore(w, cfa, rule->ra, &pc)) {
        return STEP_TRUNCATED;
    }
    if (!restore(w, rule->flags & CP_CFI_FP_AT_FP ? fp : cfa, rule->fp,
                 &r->fp) ||
        !restore(w, rule->flags & CP_CFI_AUX_AT_FP ? fp : cfa, rule->aux,
                 &r->aux))
        return STEP_TRUNCATED;
    r->pc = cp_arch_strip(pc);
    r->sp = cfa;
    f->is_exact = false;
    return r->pc ? STEP_ON : STEP_END;
}

/*
 * May there be a call before this address? The code itself is not looked at:
 * another thread may unload it meanwhile. But its rules tell where no call can
 * be (arch.h). Where there are none at all, any address will do.
 */
static bool is_return_address(const struct cp_signal_walk *w, uintptr_t pc)
{
    const struct cp_unwind_module *m = cp_unwind_table_find(w->table, pc - 1);

    return m &&
           (!m->pcs || cp_arch_may_call(cp_unwind_table_row(w->table, pc - 1)));
}

/* By the frame pointer: it points at the caller's, then the return address. */
static bool step_by_pointer(struct cp_signal_walk *w, struct frame *f)
{
    struct cp_signal_regs *r = &f->regs;
    uintptr_t fp, pc;

    if (r->fp < r->sp || r->fp - r->sp > LARGEST_FRAME ||
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

/* By the nearest word on the stack that looks like a return address. */
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

/* A function without a rule: assembly, generated code, a wild jump. */
static bool step_without_row(struct cp_signal_walk *w, struct frame *f)
{
    uintptr_t lr = f->regs.aux;

    cp_stack_reader_bind(&w->reader, f->regs.sp);
    /* It may be a leaf that has no frame of its own. */
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
                             const struct cp_cfi_row *rule)
{
    if (rule->cfa != CP_CFA_NONE)
        return step_by_row(w, f, rule);
    return step_without_row(w, f) ? STEP_ON : STEP_TRUNCATED;
}

/* A return address that points to no code is none. */
static bool is_wild(struct cp_signal_walk *w, const struct frame *f)
{
    if (cp_unwind_table_find(w->table, lookup_pc(f)))
        return false;
    w->hit_unmapped_pc = true;
    return !f->is_exact;
}

/*
 * The frames after the first CP_WALK_LEAF went round in a ring of
 * CP_WALK_ROOT: puts them in order, behind a mark if any were overwritten.
 */
static size_t close_ring(uintptr_t *out, size_t n)
{
    uintptr_t *ring = out + CP_WALK_LEAF + 1, ordered[CP_WALK_ROOT];
    size_t n_ring = n - CP_WALK_LEAF;

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

/* Is it code where the frame goes on, and no call before it? */
static bool is_entered(const struct cp_signal_walk *w, const struct frame *f)
{
    return !f->is_exact && cp_unwind_table_find(w->table, f->regs.pc) &&
           !is_return_address(w, f->regs.pc);
}

/*
 * With care, a frame whose address has no call before it is taken for one that
 * is to be entered there: while an exception lands, the unwinder has written
 * that over the return address already. *is_other says if there was any.
 */
static inline size_t walk(struct cp_signal_walk *w, struct cp_signal_regs regs,
                          uintptr_t out[CP_WALK_MAX], bool *is_other)
{
    struct frame f = { regs, true };
    enum step next = STEP_ON;
    size_t n = 0;

    w->hit_unmapped_pc = false;
    cp_stack_reader_set_stack(&w->reader, regs.sp);
    while (next == STEP_ON && n < CP_WALK_LIMIT) {
        bool enters = is_other && is_entered(w, &f);
        uintptr_t pc = enters ? f.regs.pc : lookup_pc(&f);
        const struct cp_cfi_row *rule = cp_unwind_table_row(w->table, pc);
        size_t at = n;

        if (enters)
            *is_other = true;
        if (rule->cfa == CP_CFA_NONE && is_wild(w, &f)) {
            next = STEP_TRUNCATED;
            break;
        }
        if (at >= CP_WALK_LEAF)
            at = CP_WALK_LEAF + 1 + (n - CP_WALK_LEAF) % CP_WALK_ROOT;
        out[at] = pc;
        n++;
        next = step(w, &f, rule);
    }
    w->end = next == STEP_ON    ? CP_WALK_LONG
             : next == STEP_END ? CP_WALK_WHOLE
                                : CP_WALK_TRUNCATED;
    return n > CP_WALK_LEAF ? close_ring(out, n) : n;
}

/* With care; if that is in vain, as it was. */
static size_t walk_again(struct cp_signal_walk *w, struct cp_signal_regs regs,
                         uintptr_t out[CP_WALK_MAX])
{
    bool is_other = false;
    size_t n = walk(w, regs, out, &is_other);

    return w->end == CP_WALK_WHOLE || !is_other ? n : walk(w, regs, out, NULL);
}

size_t cp_signal_walk(struct cp_signal_walk *w, struct cp_signal_regs regs,
                      uintptr_t out[CP_WALK_MAX])
{
    size_t n = walk(w, regs, out, NULL);

    return w->end == CP_WALK_TRUNCATED ? walk_again(w, regs, out) : n;
}
