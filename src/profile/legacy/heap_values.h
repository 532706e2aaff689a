/*
 * heap_values - the numbers of sampled heap profiles.
 *
 * Shared by the readers of heap profiles. A heap profile counts objects and
 * bytes, in use and optionally allocated since the start. A sampling allocator
 * samples large objects more often than small ones; with the mean distance
 * between samples the numbers can be unbiased.
 */
#ifndef CP_HEAP_VALUES_H
#define CP_HEAP_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text_lines.h"

struct cp_builder;
struct cp_label;
struct cp_profile;

struct cp_legacy_heap_pair {
    int64_t objects, bytes;
};

/*
 * Scales a pair that was sampled every `rate` bytes on average. A result
 * outside 64 bits becomes INT64_MIN.
 */
struct cp_legacy_heap_pair
cp_legacy_heap_unbias(struct cp_legacy_heap_pair seen, int64_t rate);

/*
 * How to read a heap dump. By default each scaled number is truncated to an
 * integer and samples get labels, as the reference tool does. jeprof keeps
 * fractions and only the stack, so that equal stacks of two dumps cancel out;
 * it also scales the older linear sampling.
 */
struct cp_legacy_heap_options {
    /* jeprof mode: values are in units of 1/parts; 0 means default mode */
    int parts;
    /* jemalloc only: read this thread, e.g. "3"; NULL reads all */
    const char *thread;
};

/*
 * Fixed-point denominators of jeprof mode. The error of the sum over many
 * stacks stays far below 1, and 2 PB of allocated bytes still fit. In-use
 * values are smaller, so their denominator is CP_LEGACY_HEAP_FINE times larger.
 * The unit is named "1/4096 bytes", so such a profile cannot be merged with one
 * in whole bytes.
 */
#define CP_LEGACY_HEAP_PARTS 4096
#define CP_LEGACY_HEAP_FINE 64

/* Returns N of the unit "1/N bytes" or "1/N objects"; 1 for any other unit. */
int cp_legacy_heap_unit_parts(const char *unit, bool *is_bytes);

/*
 * Like cp_legacy_heap_unbias, in units of 1/parts; is_linear selects the older
 * sampling.
 */
struct cp_legacy_heap_pair
cp_legacy_heap_unbias_parts(struct cp_legacy_heap_pair seen, int64_t rate,
                            int parts, bool is_linear);

/* Returns the denominator of in-use values. */
int cp_legacy_heap_in_use_parts(const struct cp_legacy_heap_options *options);

/*
 * Whether values are in units of 1/parts, and the conversion to whole units for
 * other tools.
 */
bool cp_legacy_heap_is_in_parts(const struct cp_profile *p);
enum cp_status cp_legacy_heap_make_whole(struct cp_profile *p,
                                         struct cp_error *err);

/*
 * Returns v truncated to an integer; INT64_MIN if v is out of range or not a
 * number.
 */
int64_t cp_legacy_heap_truncate(double v);

/*
 * Returns the mean size of an object, for the label "bytes"; 0 without objects.
 */
int64_t cp_legacy_heap_mean(struct cp_legacy_heap_pair seen);

/* The digits of "n: b [n: b]": objects and bytes. */
struct cp_legacy_heap_counts {
    struct cp_text in_use[2], allocated[2];
};

/* Parses such numbers; in-use numbers may be negative if `is_signed`. */
bool cp_legacy_heap_parse_counts(struct cp_text *t, bool is_signed,
                                 struct cp_legacy_heap_counts *out);

/*
 * Whether the totals of a profile show that it has numbers of all allocations,
 * not only of those in use.
 */
bool cp_legacy_heap_has_allocations(
    const struct cp_legacy_heap_counts *totals,
    const struct cp_legacy_heap_options *options);

/* Adds two or four sample types, and the period type. */
enum cp_status
cp_legacy_heap_add_types(struct cp_builder *b, bool has_allocations,
                         const struct cp_legacy_heap_options *options,
                         int64_t period, struct cp_error *err);

/* Creates the label "bytes"; false with *err set on failure. */
bool cp_legacy_heap_label(struct cp_builder *b, int64_t size,
                          struct cp_label *out, struct cp_error *err);

#endif
