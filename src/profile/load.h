/*
 * load - a profile from bytes of any known format.
 *
 * Unpacks gzip or zstd, recognises profile.proto and the legacy formats in
 * the reference's order, and checks what came out. Who knows more formats
 * than these (the tool does, see import/import.h) gives a reader for them.
 */
#ifndef CP_LOAD_H
#define CP_LOAD_H

#include "base/bytes.h"
#include "profile/profile.h"

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

/* The same as cp_load, and asks `more` where no format of ours fits. */
struct cp_profile *cp_load_with(struct cp_bytes *file, cp_load_reader *more,
                                struct cp_error *err);

#endif
