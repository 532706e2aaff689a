/*
 * cfi - interprets the CFA program of an FDE and emits its CFI rows.
 *
 * The program describes, address by address, how the CFA and the saved
 * registers are found. A description that the walker supports becomes a struct
 * cp_cfi_row, any other one a row with CP_CFA_NONE.
 */
#ifndef CP_CFI_H
#define CP_CFI_H

#include <stdbool.h>
#include <stdint.h>

struct cp_fde;
struct cp_cfi_row;

/* The DWARF numbers of the registers that a CFI row describes. */
struct cp_cfi_machine {
    uint8_t sp, fp, aux, scratch, arg; /* 0xff if there is none */
    bool is_ra_in_aux; /* whether a call stores its return address in aux */
};

extern const struct cp_cfi_machine cp_cfi_x86_64, cp_cfi_aarch64;

/* Describes the machine that this code is compiled for. */
const struct cp_cfi_machine *cp_cfi_native(void);

/* Receives a row that is valid from this address on. Returns false to stop. */
typedef bool cp_cfi_sink(void *context, uint64_t address,
                         const struct cp_cfi_row *row);

/*
 * Runs the program. The rows come in ascending order of addresses inside
 * [start, end). Returns false if the program is malformed or the sink stopped
 * it; the rows passed before that are valid.
 */
bool cp_cfi_run(const struct cp_cfi_machine *machine, const struct cp_fde *fde,
                cp_cfi_sink *sink, void *context);

#endif
