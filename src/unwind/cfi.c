/* cfi.c - the interpreter of DW_CFA_* instructions. */
#include "unwind/cfi.h"

#include <string.h>

#include "base/assert/assert.h"
#include "signal/unwinder/cfi_row.h"
#include "unwind/eh_frame.h"

#define MAX_REMEMBERED 16 /* maximum depth of DW_CFA_remember_state */

/* Where a register of the caller is saved. */
enum place {
    PLACE_SAME,   /* not saved */
    PLACE_END,    /* undefined; if it is the return address: no caller */
    PLACE_CFA,    /* at CFA + off */
    PLACE_FP,     /* at fp + off */
    PLACE_ARG,    /* in the register of the first argument */
    PLACE_UNKNOWN /* not supported by the walker */
};

struct saved {
    enum place place;
    int64_t off; /* bytes */
};

enum { RA, FP, AUX, N_SAVED };

/* The current description of a frame. */
struct cfi_state {
    enum cp_cfa_kind cfa; /* CP_CFA_NONE if the walker does not support it */
    uint64_t reg;         /* DWARF number of the CFA register */
    int64_t off, deref_off;
    struct saved saved[N_SAVED];
};

struct machine {
    const struct cp_cfi_machine *regs;
    const struct cp_fde *fde;
    struct cfi_state state, initial;
    struct cfi_state remembered[MAX_REMEMBERED];
    size_t n_remembered;
    uint64_t address;
    cp_cfi_sink *sink;
    void *context;
};

const struct cp_cfi_machine cp_cfi_x86_64 = { 7, 6, 3, 10, 5, false };
const struct cp_cfi_machine cp_cfi_aarch64 = { 31, 29, 30, 0xff, 0xff, true };

const struct cp_cfi_machine *cp_cfi_native(void)
{
#if defined(__aarch64__)
    return &cp_cfi_aarch64;
#else
    return &cp_cfi_x86_64;
#endif
}

static enum cp_cfa_kind cfa_of_register(const struct machine *m, uint64_t reg)
{
    if (reg == m->regs->sp)
        return CP_CFA_SP;
    if (reg == m->regs->fp)
        return CP_CFA_FP;
    if (reg == m->regs->aux && !m->regs->is_ra_in_aux)
        return CP_CFA_AUX;
    return reg == m->regs->scratch ? CP_CFA_SCRATCH : CP_CFA_NONE;
}

/*
 * Converts bytes to words of 8 bytes. Returns false if the value does not fit.
 */
static bool to_words(int64_t off, int16_t *out)
{
    int64_t words = off >> 3;

    if ((off & 7) != 0 || words < CP_CFI_MIN || words > INT16_MAX)
        return false;
    *out = (int16_t)words;
    return true;
}

/* Encodes a saved register; an unsupported place counts as unchanged. */
static void encode_saved(struct cp_cfi_row *row, int16_t *out,
                         struct saved saved, uint8_t at_fp)
{
    *out = CP_CFI_SAME;
    if (saved.place == PLACE_CFA || saved.place == PLACE_FP)
        (void)to_words(saved.off, out);
    if (saved.place == PLACE_FP && *out != CP_CFI_SAME)
        row->flags |= at_fp;
}

static struct cp_cfi_row compile_row(const struct machine *m)
{
    const struct cfi_state *state = &m->state;
    struct cp_cfi_row row = { .cfa = (uint8_t)state->cfa,
                              .cfa_offset = (int32_t)state->off,
                              .deref_offset = (int32_t)state->deref_off };
    struct cp_cfi_row none = { .cfa = CP_CFA_NONE };

    if (m->fde->cie.is_signal)
        return (struct cp_cfi_row){ .cfa = CP_CFA_SIGNAL };
    if (state->saved[RA].place == PLACE_END)
        return (struct cp_cfi_row){ .cfa = CP_CFA_SP, .ra = CP_CFI_END };
    if (state->cfa == CP_CFA_NONE || state->off != row.cfa_offset ||
        state->deref_off != row.deref_offset)
        return none;
    if (state->saved[RA].place == PLACE_SAME && m->regs->is_ra_in_aux)
        row.ra = CP_CFI_SAME;
    else if (state->saved[RA].place == PLACE_ARG)
        row.ra = CP_CFI_ARG;
    else if (state->saved[RA].place != PLACE_CFA ||
             !to_words(state->saved[RA].off, &row.ra))
        return none;
    encode_saved(&row, &row.fp, state->saved[FP], CP_CFI_FP_AT_FP);
    encode_saved(&row, &row.aux, state->saved[AUX], CP_CFI_AUX_AT_FP);
    if (m->regs->is_ra_in_aux)
        row.aux = CP_CFI_SAME; /* aux is the return address itself */
    return row;
}

/* Emits the row of the current state and advances the address. */
static bool advance(struct machine *m, uint64_t by)
{
    struct cp_cfi_row row;

    if (by == 0)
        return true;
    row = compile_row(m);
    if (!m->sink(m->context, m->address, &row))
        return false;
    if (by >= m->fde->end - m->address)
        return false;
    m->address += by;
    CP_ASSERT(m->address > m->fde->start && m->address < m->fde->end);
    return true;
}

/* Returns the index of a register in `saved`; N_SAVED if it is not needed. */
static size_t saved_index(const struct machine *m, uint64_t reg)
{
    if (reg == m->fde->cie.ra_column)
        return RA;
    if (reg == m->regs->fp)
        return FP;
    return reg == m->regs->aux ? AUX : N_SAVED;
}

static void set_saved(struct machine *m, uint64_t reg, enum place place,
                      int64_t off)
{
    size_t slot = saved_index(m, reg);

    if (slot != N_SAVED)
        m->state.saved[slot] = (struct saved){ place, off };
}

static int64_t scaled(const struct machine *m, int64_t n)
{
    return (int64_t)((uint64_t)n * (uint64_t)m->fde->cie.data_align);
}

static void set_cfa(struct machine *m, uint64_t reg, int64_t off)
{
    m->state.reg = reg;
    m->state.cfa = cfa_of_register(m, reg);
    m->state.off = off;
    m->state.deref_off = 0;
}

/*
 * Recognizes the expression that linkers write for x86-64's PLT: sp + 8, plus 8
 * from byte n of each 16-byte entry on.
 */
static bool is_plt(struct cp_cursor c, int64_t *out_n)
{
    static const uint8_t head[] = { 0x77, 8, 0x80, 0, 0x3f, 0x1a };
    static const uint8_t tail[] = { 0x2a, 0x33, 0x24, 0x22 };

    if (c.end - c.pos != sizeof(head) + 1 + sizeof(tail) ||
        memcmp(c.pos, head, sizeof(head)) != 0 ||
        memcmp(c.end - sizeof(tail), tail, sizeof(tail)) != 0)
        return false;
    *out_n = c.pos[sizeof(head)] - 0x30; /* DW_OP_lit0 to DW_OP_lit31 */
    return *out_n >= 0 && *out_n < 32;
}

/*
 * Reads DW_OP_bregN. Returns false if the expression starts with a different
 * operation.
 */
static bool read_breg(struct cp_cursor *c, uint64_t *out_reg, int64_t *out_off)
{
    uint64_t op = cp_cursor_uint(c, 1);

    if (op < 0x70 || op > 0x8f)
        return false;
    *out_reg = op - 0x70;
    *out_off = cp_cursor_sleb(c);
    return !c->is_bad;
}

static void cfa_by_expression(struct machine *m, struct cp_cursor c)
{
    struct cfi_state *state = &m->state;
    uint64_t reg, op;

    state->deref_off = 0;
    state->cfa = CP_CFA_NONE;
    if (is_plt(c, &state->off)) {
        state->cfa = CP_CFA_PLT;
        return;
    }
    if (!read_breg(&c, &reg, &state->off))
        return;
    if (c.pos == c.end) {
        state->cfa = cfa_of_register(m, reg);
        return;
    }
    if (cp_cursor_uint(&c, 1) != 0x06) /* DW_OP_deref */
        return;
    op = c.pos == c.end ? 0 : cp_cursor_uint(&c, 1);
    if (op == 0x23) /* DW_OP_plus_uconst */
        state->deref_off = (int64_t)cp_cursor_uleb(&c);
    if ((op != 0 && op != 0x23) || c.is_bad || c.pos != c.end)
        return;
    if (reg == m->regs->sp)
        state->cfa = CP_CFA_SP_DEREF;
    else if (reg == m->regs->fp)
        state->cfa = CP_CFA_FP_DEREF;
}

static void save_by_expression(struct machine *m, uint64_t reg,
                               struct cp_cursor c)
{
    uint64_t base;
    int64_t off;
    bool is_at_fp =
        read_breg(&c, &base, &off) && c.pos == c.end && base == m->regs->fp;

    set_saved(m, reg, is_at_fp ? PLACE_FP : PLACE_UNKNOWN, is_at_fp ? off : 0);
}

static bool remember_state(struct machine *m)
{
    CP_ASSERT(m->n_remembered <= MAX_REMEMBERED);
    if (m->n_remembered == MAX_REMEMBERED)
        return false;
    m->remembered[m->n_remembered++] = m->state;
    return true;
}

static bool restore_state(struct machine *m)
{
    if (m->n_remembered == 0)
        return false;
    m->state = m->remembered[--m->n_remembered];
    return true;
}

static void restore_initial(struct machine *m, uint64_t reg)
{
    size_t slot = saved_index(m, reg);

    if (slot != N_SAVED)
        m->state.saved[slot] = m->initial.saved[slot];
}

/*
 * Runs an instruction (DW_CFA_*) that defines the CFA. Returns false if the
 * instruction is of a different kind.
 */
static bool define_cfa(struct machine *m, struct cp_cursor *c, uint8_t op)
{
    uint64_t reg = m->state.reg;

    switch (op) {
    case 0x0c: /* def_cfa */
        reg = cp_cursor_uleb(c);
        set_cfa(m, reg, (int64_t)cp_cursor_uleb(c));
        return true;
    case 0x0d: /* def_cfa_register */
        set_cfa(m, cp_cursor_uleb(c), m->state.off);
        return true;
    case 0x0e: /* def_cfa_offset */
        set_cfa(m, reg, (int64_t)cp_cursor_uleb(c));
        return true;
    case 0x0f: /* def_cfa_expression */
        cfa_by_expression(m, cp_cursor_take(c, cp_cursor_uleb(c)));
        return true;
    case 0x12: /* def_cfa_sf */
        reg = cp_cursor_uleb(c);
        set_cfa(m, reg, scaled(m, cp_cursor_sleb(c)));
        return true;
    case 0x13: /* def_cfa_offset_sf */
        set_cfa(m, reg, scaled(m, cp_cursor_sleb(c)));
        return true;
    default:
        return false;
    }
}

/*
 * Runs an instruction that defines a saved register, whose number comes first.
 */
static bool is_about_register(uint8_t op)
{
    return (op >= 0x05 && op <= 0x09) || op == 0x10 || op == 0x11 ||
           (op >= 0x14 && op <= 0x16) || op == 0x2f;
}

static void save_register(struct machine *m, struct cp_cursor *c, uint8_t op)
{
    uint64_t reg = cp_cursor_uleb(c);

    switch (op) {
    case 0x05: /* offset_extended */
        set_saved(m, reg, PLACE_CFA, scaled(m, (int64_t)cp_cursor_uleb(c)));
        break;
    case 0x06: /* restore_extended */
        restore_initial(m, reg);
        break;
    case 0x07: /* undefined */
        set_saved(m, reg, PLACE_END, 0);
        break;
    case 0x08: /* same_value */
        set_saved(m, reg, PLACE_SAME, 0);
        break;
    case 0x09: /* register: saved in a different register */
        set_saved(m, reg,
                  cp_cursor_uleb(c) == m->regs->arg ? PLACE_ARG : PLACE_UNKNOWN,
                  0);
        break;
    case 0x10: /* expression */
        save_by_expression(m, reg, cp_cursor_take(c, cp_cursor_uleb(c)));
        break;
    case 0x11: /* offset_extended_sf */
        set_saved(m, reg, PLACE_CFA, scaled(m, cp_cursor_sleb(c)));
        break;
    case 0x2f: /* GNU_negative_offset_extended */
        set_saved(m, reg, PLACE_CFA, -scaled(m, (int64_t)cp_cursor_uleb(c)));
        break;
    case 0x16: /* val_expression */
        set_saved(m, reg, PLACE_UNKNOWN, 0);
        cp_cursor_skip(c, cp_cursor_uleb(c));
        break;
    default: /* val_offset and val_offset_sf: numbers of the same length */
        set_saved(m, reg, PLACE_UNKNOWN, 0);
        (void)cp_cursor_uleb(c);
    }
}

/* Runs an instruction without embedded operand. Returns false to stop. */
static bool extended(struct machine *m, struct cp_cursor *c, uint8_t op)
{
    if (define_cfa(m, c, op))
        return true;
    if (is_about_register(op)) {
        save_register(m, c, op);
        return true;
    }
    switch (op) {
    case 0x00: /* nop */
    case 0x2d: /* AARCH64_negate_ra_state; the walker strips signatures */
        return true;
    case 0x02: /* advance_loc1, 2, 4 */
    case 0x03:
    case 0x04:
        return advance(m, m->fde->cie.code_align *
                              cp_cursor_uint(c, (size_t)1 << (op - 2)));
    case 0x0a: /* remember_state */
        return remember_state(m);
    case 0x0b: /* restore_state */
        return restore_state(m);
    case 0x2e: /* GNU_args_size */
        (void)cp_cursor_uleb(c);
        return true;
    default: /* including set_loc (0x01), which compilers do not emit */
        return false;
    }
}

static bool run(struct machine *m, struct cp_cursor c)
{
    while (c.pos < c.end && !c.is_bad) {
        uint8_t op = (uint8_t)cp_cursor_uint(&c, 1), low = op & 0x3f;
        bool goes_on = true;

        if (op >> 6 == 1) { /* advance_loc */
            goes_on = advance(m, m->fde->cie.code_align * low);
        } else if (op >> 6 == 2) { /* offset */
            set_saved(m, low, PLACE_CFA,
                      scaled(m, (int64_t)cp_cursor_uleb(&c)));
        } else if (op >> 6 == 3) { /* restore */
            restore_initial(m, low);
        } else {
            goes_on = extended(m, &c, op);
        }
        if (!goes_on)
            return false;
    }
    return !c.is_bad;
}

bool cp_cfi_run(const struct cp_cfi_machine *machine, const struct cp_fde *fde,
                cp_cfi_sink *sink, void *context)
{
    struct machine m; /* `remembered` needs no initial value */
    struct cp_cfi_row row;

    m.regs = machine;
    m.fde = fde;
    m.address = fde->start;
    m.sink = sink;
    m.context = context;
    m.n_remembered = 0;
    m.state = m.initial = (struct cfi_state){ 0 };

    if (!run(&m, fde->cie.program))
        return false;
    m.initial = m.state;
    if (!run(&m, fde->program))
        return false;
    row = compile_row(&m);
    return sink(context, m.address, &row);
}
