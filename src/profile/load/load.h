/*
 * load - a profile from bytes of any known format.
 *
 * Unpacks gzip or zstd, recognises profile.proto and the legacy formats in
 * the reference's order, and checks what came out.
 */
#ifndef CP_LOAD_H
#define CP_LOAD_H

#include <stddef.h>

struct cp_bytes;
struct cp_error;
struct cp_legacy_heap_reading;
struct cp_profile;
struct cp_stack_room;

/* No file of more than this is read. */
#define CP_LOAD_LIMIT ((size_t)16 << 30)

/*
 * Reads a profile; NULL with *err set. The bytes are consumed: *file is
 * released as soon as it is not needed any more, whatever the outcome.
 */
struct cp_profile *cp_load(struct cp_bytes *file, struct cp_error *err);

/*
 * Reads unpacked bytes; NULL with *err set, CP_EOTHER when they are in no
 * format that it knows. The bytes stay the caller's.
 */
typedef struct cp_profile *cp_load_reader(const char *bytes, size_t len,
                                          struct cp_error *err);

/* How to read; all 0 is what cp_load does. */
struct cp_load_how {
    size_t n_threads; /* 0: as many as there are cores */
    const struct cp_legacy_heap_reading *heap; /* how heap dumps are read */
    cp_load_reader *more;       /* asked where no format of ours fits */
    struct cp_stack_room *room; /* where stacks may go, or NULL */
};

/* The same as cp_load, but as told. */
struct cp_profile *cp_load_as(struct cp_bytes *file,
                              const struct cp_load_how *how,
                              struct cp_error *err);

/* The same for a file, which is not all in memory at once, if that can be. */
struct cp_profile *cp_load_file(const char *path, const struct cp_load_how *how,
                                struct cp_error *err);

#endif
