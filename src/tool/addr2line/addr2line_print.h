/*
 * addr2line_print - the text of addr2line's answers.
 */
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
    bool is_64;     /* addresses have 16 digits, not 8 */
};

struct cp_addr2line_answer {
    uint64_t address;
    const struct cp_symbol_frame *frames;
    size_t n_frames;
};

/* Prints the answers in order, on all cores if there are many. */
enum cp_status cp_addr2line_print(const struct cp_addr2line_style *style,
                                  const struct cp_addr2line_answer *answers,
                                  size_t n, struct cp_out *out,
                                  struct cp_error *err);

#endif
