/*
 * rule - how to get from one frame to its caller, in sixteen bytes.
 *
 * src/unwind makes these out of .eh_frame; the walker (walk.h) follows them.
 * Only the registers that a walk needs are known: the program counter, the
 * stack pointer, the frame pointer, and one more that the code below calls
 * `aux`: rbx on x86-64 (the resolver of lazy binding keeps its frame there),
 * the link register on aarch64.
 *
 * The CFA is the value of the stack pointer in the caller, as DWARF has it.
 * Saved registers are found at a number of 8-byte words from it.
 */
#ifndef CP_CFI_ROW_H
#define CP_CFI_ROW_H

#include <stdint.h>

enum cp_cfa_kind {
    CP_CFA_NONE,     /* no rule: the walker falls back on frame pointers */
    CP_CFA_SP,       /* sp + offset */
    CP_CFA_FP,       /* fp + offset */
    CP_CFA_AUX,      /* aux + offset */
    CP_CFA_SCRATCH,  /* r10 + offset, known in the innermost frame alone */
    CP_CFA_SP_DEREF, /* the word at sp + offset, plus deref_offset */
    CP_CFA_FP_DEREF, /* the word at fp + offset, plus deref_offset */
    CP_CFA_PLT,      /* sp + 8, and 8 more once pc mod 16 reaches offset */
    CP_CFA_SIGNAL,   /* the kernel's signal frame lies at sp */
};

/* Values of `ra`, `fp` and `aux` that are no offsets. */
#define CP_CFI_SAME INT16_MIN      /* as in this frame; ra: in aux */
#define CP_CFI_END (INT16_MIN + 1) /* ra: the outermost frame */
#define CP_CFI_ARG (INT16_MIN + 2) /* ra: in rdi, as in vfork */
#define CP_CFI_MIN (INT16_MIN + 3) /* the least true offset */

/* Flags: the word is counted from the frame pointer, not from the CFA. */
#define CP_CFI_FP_AT_FP 1
#define CP_CFI_AUX_AT_FP 2

struct cp_cfi_row {
    int32_t cfa_offset;   /* in bytes */
    int32_t deref_offset; /* in bytes */
    int16_t ra, fp, aux;  /* in words of 8 bytes */
    uint8_t cfa;          /* enum cp_cfa_kind */
    uint8_t flags;
};

_Static_assert(sizeof(struct cp_cfi_row) == 16, "rules are compact");

#endif
