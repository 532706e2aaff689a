/*
 * legacy - readers of the profile formats that preceded profile.proto.
 *
 * One reader per file: legacy_cpu.c (gperftools' binary CPU profile, native and
 * Java), legacy_heap.c (heap, growth, fragmentation), legacy_jemalloc.c
 * (jemalloc's heap_v2), legacy_count.c (Go's count profiles), legacy_thread.c,
 * legacy_contention.c, legacy_java.c. They share the memory map reader
 * (memory_map.h) and the lists of frames to drop (drop_frames.h).
 *
 * Each reader gets the complete file and returns a profile or NULL. err->status
 * CP_EOTHER means that the file has another format, so the next reader tries;
 * any other error is final.
 */
#ifndef CP_LEGACY_H
#define CP_LEGACY_H

#include <stddef.h>

#include "profile/model/address_stack.h"
#include "profile/model/build.h"

struct cp_legacy_heap_options;
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

/* Readers of heap profiles, with options. */
struct cp_profile *
cp_legacy_heap_read(const char *bytes, size_t len,
                    const struct cp_legacy_heap_options *options,
                    struct cp_error *err);
struct cp_profile *
cp_jemalloc_read(const char *bytes, size_t len,
                 const struct cp_legacy_heap_options *options,
                 struct cp_error *err);

/* State that all readers share. */
struct cp_legacy_reader {
    struct cp_builder b;
    struct cp_address_stack stack;
};

/* Reads the complete text into r->b. */
typedef enum cp_status cp_legacy_body(struct cp_legacy_reader *r,
                                      struct cp_text text,
                                      struct cp_error *err);

/* Runs the body and returns the profile that it built; releases the reader. */
struct cp_profile *cp_legacy_run(struct cp_legacy_reader *r,
                                 cp_legacy_body *body, struct cp_text text,
                                 struct cp_error *err);

/*
 * Tries all readers in the order of the reference tool. Sets the drop and keep
 * expressions and applies the names of a symbolized profile (symbolized.h).
 * NULL with CP_EOTHER, "unrecognized profile format", if no reader matches.
 */
struct cp_profile *cp_legacy_read(const char *bytes, size_t len,
                                  struct cp_error *err);

/* Like cp_legacy_read, with options for heap profiles. */
struct cp_profile *
cp_legacy_read_as(const char *bytes, size_t len,
                  const struct cp_legacy_heap_options *options,
                  struct cp_error *err);

#endif
