/* regs - the registers of a frame that a stack walk needs; see cfi_row.h. */
#ifndef CP_SIGNAL_REGS_H
#define CP_SIGNAL_REGS_H

#include <stdint.h>

struct cp_signal_regs {
    uintptr_t pc, sp, fp, aux;
    uintptr_t scratch, arg; /* r10, rdi; 0 unless the frame is exact */
};

#endif
