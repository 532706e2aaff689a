/*
 * proc_file - reads files of /proc, which report a size of 0.
 *
 * It does not use stdio, which would call the program's malloc.
 *
 * Context: any thread outside signal handlers. Locking: none.
 * Failure: CP_EIO with the path and the reason, or CP_ENOMEM.
 */
#ifndef CP_PROC_FILE_H
#define CP_PROC_FILE_H

#include <stddef.h>

#include "base/error.h"

struct cp_out;

/* Appends at most `limit` bytes of the file to out. */
enum cp_status cp_proc_file_read(const char *path, size_t limit,
                                 struct cp_out *out, struct cp_error *err);

/*
 * Like cp_proc_file_read, for a directory that every user may write to: the
 * file must be regular and belong to this user or to root.
 */
enum cp_status cp_proc_file_read_own(const char *path, size_t limit,
                                     struct cp_out *out, struct cp_error *err);

#endif
