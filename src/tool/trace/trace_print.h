/* trace_print - the table of a trace's threads as text, JSON and CSV. */
#ifndef CP_TRACE_PRINT_H
#define CP_TRACE_PRINT_H

#include <stddef.h>

struct cp_out;
struct cp_trace_threads;

enum cp_trace_style {
    CP_TRACE_STYLE_TEXT,
    CP_TRACE_STYLE_JSON,
    CP_TRACE_STYLE_CSV
};

/* Writes the first max_rows rows (0: all) and the summary. */
void cp_trace_print(const struct cp_trace_threads *t, enum cp_trace_style style,
                    size_t max_rows, struct cp_out *out);

#endif
