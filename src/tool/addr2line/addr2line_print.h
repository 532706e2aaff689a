/* addr2line_print - prints the results of addr2line. */
#ifndef CP_ADDR2LINE_PRINT_H
#define CP_ADDR2LINE_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_out;
struct cp_symbol_frame;

struct cp_addr2line_style {
    bool addresses; /* -a */
    bool functions; /* -f */
    bool inlines;   /* -i */
    bool pretty;    /* -p */
    bool basenames; /* -s */
    bool demangle;  /* -C */
    bool is_64;     /* print addresses with 16 digits, not 8 */
};

struct cp_addr2line_answer {
    uint64_t address;
    const struct cp_symbol_frame *frames;
    size_t n_frames;
};

/* Prints the results in order; formats many of them on all cores. */
enum cp_status cp_addr2line_print(const struct cp_addr2line_style *style,
                                  const struct cp_addr2line_answer *answers,
                                  size_t n, struct cp_out *out,
                                  struct cp_error *err);

#endif
