/*
 * legacy - the profile formats that came before profile.proto.
 *
 * One reader a file: legacy_cpu.c (gperftools' binary CPU profile, native and
 * Java), legacy_heap.c (heap, growth, fragmentation), legacy_jemalloc.c
 * (heap_v2 as jemalloc writes it), legacy_count.c (Go's count profiles),
 * legacy_thread.c, legacy_contention.c, legacy_java.c. They share the memory
 * map reader (memory_map.h) and the lists of frames to drop (drop_frames.h).
 *
 * Each reader looks at all the bytes and returns a profile, or NULL: with
 * err->status CP_EOTHER when the bytes are not in its format, so that the
 * next one may try; anything else is final.
 */
#ifndef CP_LEGACY_H
#define CP_LEGACY_H

#include <stddef.h>

#include "base/error.h"
#include "base/text_lines.h"
#include "profile/model/address_stack.h"
#include "profile/model/build.h"

struct cp_legacy_heap_reading;
struct cp_profile;

struct cp_profile *cp_legacy_read_cpu(const char *bytes, size_t len,
                                      struct cp_error *err);
struct cp_profile *cp_legacy_read_heap(const char *bytes, size_t len,
                                       struct cp_error *err);
struct cp_profile *cp_legacy_read_jemalloc(const char *bytes, size_t len,
                                           struct cp_error *err);
struct cp_profile *cp_legacy_read_count(const char *bytes, size_t len,
                                        struct cp_error *err);
struct cp_profile *cp_legacy_read_thread(const char *bytes, size_t len,
                                         struct cp_error *err);
struct cp_profile *cp_legacy_read_contention(const char *bytes, size_t len,
                                             struct cp_error *err);
struct cp_profile *cp_legacy_read_java(const char *bytes, size_t len,
                                       struct cp_error *err);

/* Those of heap profiles, with a choice of how. */
struct cp_profile *cp_legacy_heap_read(const char *bytes, size_t len,
                                       const struct cp_legacy_heap_reading *how,
                                       struct cp_error *err);
struct cp_profile *cp_jemalloc_read(const char *bytes, size_t len,
                                    const struct cp_legacy_heap_reading *how,
                                    struct cp_error *err);

/* What every reader builds with. */
struct cp_legacy_reader {
    struct cp_builder b;
    struct cp_address_stack stack;
};

/* Reads all of the text into r->b. */
typedef enum cp_status cp_legacy_body(struct cp_legacy_reader *r,
                                      struct cp_text text,
                                      struct cp_error *err);

/* Runs the body and gives the profile that it built; releases the reader. */
struct cp_profile *cp_legacy_run(struct cp_legacy_reader *r,
                                 cp_legacy_body *body, struct cp_text text,
                                 struct cp_error *err);

/*
 * Tries them all in the reference's order and gives the result its drop and
 * keep lists, and the names that stand before a symbolized one (symbolized.h).
 * NULL with CP_EOTHER, "unrecognized profile format", when none fits.
 */
struct cp_profile *cp_legacy_read(const char *bytes, size_t len,
                                  struct cp_error *err);

/* The same, with a choice of how heap profiles are read. */
struct cp_profile *cp_legacy_read_as(const char *bytes, size_t len,
                                     const struct cp_legacy_heap_reading *how,
                                     struct cp_error *err);

#endif
