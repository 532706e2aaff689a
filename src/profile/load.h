/*
 * load - a profile from bytes of any known format.
 *
 * Unpacks gzip or zstd, recognises profile.proto and the legacy formats in
 * the reference's order, and checks what came out.
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
 * The same for a file, which is not all in memory at once, if that can be. It
 * is read by n_threads: fewer than there are cores where several files are.
 */
struct cp_profile *cp_load_file(const char *path, size_t n_threads,
                                struct cp_error *err);

#endif
