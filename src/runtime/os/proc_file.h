/*
 * proc_file - reads files of /proc and the like, whose size nobody knows.
 *
 * Not through stdio: in a stranger's process that would use the stranger's
 * malloc.
 */
#ifndef CP_PROC_FILE_H
#define CP_PROC_FILE_H

#include <stddef.h>

#include "base/error.h"

struct cp_out;

/* Appends the file to out, at most `limit` bytes of it. */
enum cp_status cp_proc_file_read(const char *path, size_t limit,
                                 struct cp_out *out, struct cp_error *err);

/*
 * The same for a place where anybody could have put something: it must be a
 * regular file of this user.
 */
enum cp_status cp_proc_file_read_own(const char *path, size_t limit,
                                     struct cp_out *out, struct cp_error *err);

#endif
