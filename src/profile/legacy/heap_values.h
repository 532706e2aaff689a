/*
 * heap_values - the numbers of sampled heap profiles.
 *
 * Shared by the readers of heap profiles. A heap profile counts objects and
 * bytes, in use now and, if it was asked to, all that were ever allocated. A
 * sampling allocator sees large objects more often than small ones; with the
 * mean distance between samples known, the numbers can be scaled back.
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
 * Scales a pair that was sampled every `rate` bytes on average. What does
 * not fit 64 bits becomes INT64_MIN.
 */
struct cp_legacy_heap_pair
cp_legacy_heap_unbias(struct cp_legacy_heap_pair seen, int64_t rate);

/*
 * How a heap dump is read. The reference, and so the ordinary way, cuts each
 * scaled number to an integer and gives samples labels. jeprof's way is to
 * keep the fractions and nothing but the stack, so that equal stacks of two
 * dumps cancel out, and to scale what sampled in the older way accordingly.
 */
struct cp_legacy_heap_reading {
    int parts;          /* jeprof's way, in units of 1 / parts; 0: ordinary */
    const char *thread; /* of jemalloc: only this one, "3"; NULL for all */
};

/*
 * Parts such that the sum over many stacks is off by far less than 1, and yet
 * 2 PB fit that were ever allocated. Less is in use at a time, so there parts
 * are finer by CP_LEGACY_HEAP_FINE. A profile in whole units does not mix in,
 * because the units have other names: "1/4096 bytes".
 */
#define CP_LEGACY_HEAP_PARTS 4096
#define CP_LEGACY_HEAP_FINE 64

/* N of the unit "1/N bytes" or "1/N objects"; 1 for any other unit. */
int cp_legacy_heap_unit_parts(const char *unit, bool *is_bytes);

/* The same as cp_legacy_heap_unbias, in parts; `is_linear` for the older
 * sampling. */
struct cp_legacy_heap_pair
cp_legacy_heap_unbias_parts(struct cp_legacy_heap_pair seen, int64_t rate,
                            int parts, bool is_linear);

/* The parts of what is in use. */
int cp_legacy_heap_in_use_parts(const struct cp_legacy_heap_reading *how);

/* Whether values are in parts; and what makes them whole, for other tools. */
bool cp_legacy_heap_is_in_parts(const struct cp_profile *p);
enum cp_status cp_legacy_heap_make_whole(struct cp_profile *p,
                                         struct cp_error *err);

/* v cut to an integer; INT64_MIN for what is none. */
int64_t cp_legacy_heap_truncate(double v);

/* The mean size of an object, for the label "bytes"; 0 of no objects. */
int64_t cp_legacy_heap_mean(struct cp_legacy_heap_pair seen);

/* The numbers of "n: b [n: b]" as text: objects and bytes. */
struct cp_alloc_counts {
    struct cp_text in_use[2], allocated[2];
};

/* Eats such numbers; the in-use ones may be negative if `is_signed`. */
bool cp_legacy_heap_eat_counts(struct cp_text *t, bool is_signed,
                               struct cp_alloc_counts *out);

/* Whether the totals of a profile say that it has allocation numbers too. */
bool cp_legacy_heap_has_allocations(const struct cp_alloc_counts *totals,
                                    const struct cp_legacy_heap_reading *how);

/* Adds the sample types, either two or four, and the period type. */
enum cp_status
cp_legacy_heap_add_types(struct cp_builder *b, bool has_allocations,
                         const struct cp_legacy_heap_reading *how,
                         int64_t period, struct cp_error *err);

/* The label "bytes"; false with *err set on failure. */
bool cp_legacy_heap_label(struct cp_builder *b, int64_t size,
                          struct cp_label *out, struct cp_error *err);

#endif
