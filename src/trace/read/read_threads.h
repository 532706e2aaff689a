/*
 * read_threads - a trace as a table with one row per thread.
 *
 * The times of a row are sums of its spans. Traces of libcpprof also hold the
 * kernel's figures for each thread, as a message of category "cpprof.thread"
 * with a text such as
 *
 *   tid=7 name=worker start_ns=... user_ns=... syscalls=12
 *
 * which take precedence. Figures that a trace lacks are blank. "cpprof.lost"
 * gives the number of lost events.
 */
#ifndef CP_TRACE_READ_THREADS_H
#define CP_TRACE_READ_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_trace_spans;

/* Numeric columns; the thread's name is separate. */
enum cp_trace_column {
    CP_TRACE_COL_ID,
    CP_TRACE_COL_START,
    CP_TRACE_COL_DURATION,
    CP_TRACE_COL_RUN,
    CP_TRACE_COL_USER,
    CP_TRACE_COL_SYS,
    CP_TRACE_COL_IDLE,
    CP_TRACE_COL_WAIT,
    CP_TRACE_COL_IO,
    CP_TRACE_COL_SYSCALLS,
    CP_TRACE_COL_ERRORS,
    CP_TRACE_COL_BLOCKS,
    CP_TRACE_COL_VCSW,
    CP_TRACE_COL_IVCSW,
    CP_TRACE_COL_DUTY, /* hundredths of a percent */
    CP_TRACE_COL_CPU,
    CP_TRACE_COL_MINFLT,
    CP_TRACE_COL_MAJFLT,
    CP_TRACE_COL_READ,
    CP_TRACE_COL_WRITE,
    CP_TRACE_COL_SAMPLES,
    CP_TRACE_N_COLUMNS,
};

struct cp_trace_row {
    uint32_t lane;
    uint32_t has;   /* bit set of columns that have a value */
    uint32_t given; /* bit set of columns with the kernel's figure */
    uint64_t values[CP_TRACE_N_COLUMNS];
};

enum cp_trace_unit {
    CP_TRACE_UNIT_COUNT,
    CP_TRACE_UNIT_NS,
    CP_TRACE_UNIT_BYTES,
    CP_TRACE_UNIT_PERCENT /* hundredths */
};

struct cp_trace_column_info {
    const char *name;  /* for --sort, JSON and CSV, without the unit */
    const char *title; /* heading in the table; NULL if not shown */
    const char *key;   /* key in cpprof.thread messages, or NULL */
    uint8_t unit;
    bool is_rising; /* sorts ascending by default */
};

extern const struct cp_trace_column_info cp_trace_columns[CP_TRACE_N_COLUMNS];

/* Initialize with { 0 }; read-only for callers. */
struct cp_trace_threads {
    struct cp_trace_spans *spans;
    struct cp_trace_row *rows;
    size_t n_rows, cap_rows;
    uint32_t recorder; /* lane of libcpprof's recorder, or CP_TRACE_NO_LANE */
    bool has_switches; /* contains the kernel's context switches */
    uint64_t n_lost;
};

static inline bool cp_trace_row_has(const struct cp_trace_row *r,
                                    enum cp_trace_column c)
{
    return r->has >> c & 1;
}

/* Reads a trace. */
enum cp_status cp_trace_threads_read(struct cp_trace_threads **out,
                                     const void *bytes, size_t len,
                                     struct cp_error *err);
void cp_trace_threads_free(struct cp_trace_threads *t);

/*
 * Sorts by a column: ids, starts and names ascending, other numbers descending;
 * a '-' before the name reverses that. CP_EUSAGE, with the list of columns, for
 * an unknown name.
 */
enum cp_status cp_trace_threads_sort(struct cp_trace_threads *t,
                                     const char *column, struct cp_error *err);

#endif
