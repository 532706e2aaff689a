/*
 * cfi - runs the program of an FDE and gives the rules that it describes.
 *
 * A program says, address by address, how the CFA and the saved registers are
 * found. What the walker can follow becomes a struct cp_cfi_row; what it
 * cannot, CP_CFA_NONE.
 */
#ifndef CP_CFI_H
#define CP_CFI_H

#include <stdbool.h>
#include <stdint.h>

struct cp_fde;
struct cp_cfi_row;

/* The DWARF numbers of the registers that a walk knows. */
struct cp_cfi_machine {
    uint8_t sp, fp, aux, scratch, arg; /* 0xff: there is none */
    bool is_ra_in_aux; /* a call leaves its return address there */
};

extern const struct cp_cfi_machine cp_cfi_x86_64, cp_cfi_aarch64;

/* The machine that this is compiled for. */
const struct cp_cfi_machine *cp_cfi_native(void);

/* Told that from this address on the rule holds; false stops. */
typedef bool cp_cfi_sink(void *context, uint64_t address,
                         const struct cp_cfi_row *rule);

/*
 * Runs the program; addresses come in order, inside [start, end). Returns
 * false if the program is broken or was stopped; what came before it holds.
 */
bool cp_cfi_run(const struct cp_cfi_machine *machine, const struct cp_fde *fde,
                cp_cfi_sink *sink, void *context);

#endif
