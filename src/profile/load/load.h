/*
 * load - loads a profile of any known format.
 *
 * Decompresses gzip and zstd, detects profile.proto and the legacy formats in
 * the order of the reference tool, and validates the result.
 */
#ifndef CP_LOAD_H
#define CP_LOAD_H

#include <stddef.h>

struct cp_bytes;
struct cp_error;
struct cp_legacy_heap_options;
struct cp_profile;
struct cp_stack_pool;

/* Maximum bytes of an input file. */
#define CP_LOAD_LIMIT ((size_t)16 << 30)

/*
 * Loads a profile; NULL with *err set. Consumes the bytes: *file is released as
 * early as possible, even on failure.
 */
struct cp_profile *cp_load(struct cp_bytes *file, struct cp_error *err);

/*
 * Reads decompressed bytes, which the caller owns. Returns NULL with *err set,
 * CP_EOTHER if the format is unknown.
 */
typedef struct cp_profile *cp_load_reader(const char *bytes, size_t len,
                                          struct cp_error *err);

/* Options; { 0 } is the behaviour of cp_load. */
struct cp_load_options {
    size_t n_threads; /* number of threads; 0 means one per core */
    const struct cp_legacy_heap_options
        *heap;                  /* options for heap dumps, or NULL */
    cp_load_reader *fallback;   /* tried if no built-in format matches */
    struct cp_stack_pool *pool; /* array for the stacks, or NULL */
};

/* Like cp_load, with options. */
struct cp_profile *cp_load_as(struct cp_bytes *file,
                              const struct cp_load_options *options,
                              struct cp_error *err);

/*
 * Like cp_load_as, for a file. Large files are streamed, so that memory never
 * holds all of the input.
 */
struct cp_profile *cp_load_file(const char *path,
                                const struct cp_load_options *options,
                                struct cp_error *err);

#endif
