/*
 * load - a profile from bytes of any known format.
 *
 * Unpacks gzip or zstd, recognises profile.proto and the legacy formats in
 * the reference's order, and checks what came out.
 */
#ifndef CP_LOAD_H
#define CP_LOAD_H

#include "base/bytes.h"
#include "profile/heap_values.h"
#include "profile/profile.h"

/* No file of more than this is read. */
#define CP_LOAD_LIMIT ((size_t)16 << 30)

/*
 * Reads a profile; NULL with *err set. The bytes are consumed: *file is
 * released as soon as it is not needed any more, whatever the outcome.
 */
struct cp_profile *cp_load(struct cp_bytes *file, struct cp_error *err);

/* The same, with a choice of how heap dumps are read. */
struct cp_profile *cp_load_as(struct cp_bytes *file,
                              const struct cp_heap_reading *how,
                              struct cp_error *err);

#endif
