/*
 * cfi_row - how to compute the caller's registers from a frame, in 16 bytes.
 *
 * src/unwind compiles rows from .eh_frame; the stack walker (walk.h) applies
 * them. A row describes four registers: the program counter, the stack pointer,
 * the frame pointer, and `aux`. aux is rbx on x86-64, where the resolver of
 * lazy binding keeps its frame address, and the link register on aarch64.
 *
 * The CFA (canonical frame address) is the caller's stack pointer, as in DWARF.
 * Saved registers lie at a multiple of 8 bytes from it.
 */
#ifndef CP_CFI_ROW_H
#define CP_CFI_ROW_H

#include <stdint.h>

enum cp_cfa_kind {
    CP_CFA_NONE,     /* unknown: the walker falls back to frame pointers */
    CP_CFA_SP,       /* sp + offset */
    CP_CFA_FP,       /* fp + offset */
    CP_CFA_AUX,      /* aux + offset */
    CP_CFA_SCRATCH,  /* r10 + offset; known in exact frames only */
    CP_CFA_SP_DEREF, /* the word at sp + offset, plus deref_offset */
    CP_CFA_FP_DEREF, /* the word at fp + offset, plus deref_offset */
    CP_CFA_PLT,      /* sp + 8, and 8 more once pc mod 16 reaches offset */
    CP_CFA_SIGNAL,   /* the kernel's signal frame is at sp */
};

/* Values of `ra`, `fp` and `aux` that are not offsets. */
#define CP_CFI_SAME INT16_MIN      /* unchanged; for ra: it is in aux */
#define CP_CFI_END (INT16_MIN + 1) /* only for ra: outermost frame */
#define CP_CFI_ARG (INT16_MIN + 2) /* ra: in rdi, as in vfork */
#define CP_CFI_MIN (INT16_MIN + 3) /* smallest offset */

/* Flags: the offset of fp or aux counts from the frame pointer, not the CFA. */
#define CP_CFI_FP_AT_FP 1
#define CP_CFI_AUX_AT_FP 2

struct cp_cfi_row {
    int32_t cfa_offset;   /* bytes */
    int32_t deref_offset; /* bytes */
    int16_t ra, fp, aux;  /* offsets in words of 8 bytes, or CP_CFI_SAME... */
    uint8_t cfa;          /* enum cp_cfa_kind */
    uint8_t flags;        /* CP_CFI_FP_AT_FP, CP_CFI_AUX_AT_FP */
};

_Static_assert(sizeof(struct cp_cfi_row) == 16, "rows are compact");

#endif
