/*
 * new_file - creates a new file.
 *
 * All code of the tool and the library that creates files uses it. The name
 * gets a random part, the file is opened with O_EXCL and O_NOFOLLOW, and the
 * caller renames it when it is complete. So it never writes to a link or a file
 * that another user has placed, and a file left by a crash blocks nothing.
 *
 * Context: any thread; allocates nothing. Locking: none. Failure: -1 with
 * errno.
 */
#ifndef CP_NEW_FILE_H
#define CP_NEW_FILE_H

#include <stddef.h>
#include <sys/types.h>

#define CP_NEW_FILE_RANDOM ".XXXXXX" /* suffix of a path for cp_new_file */

/*
 * Creates and opens a file for reading and writing, close-on-exec. Replaces the
 * XXXXXX before the last suffix_len bytes of `path`. A relative path is
 * relative to the directory `folder` (AT_FDCWD: the current one). The mode is
 * subject to umask.
 */
int cp_new_file(int folder, char *path, size_t suffix_len, mode_t mode);

/*
 * Like cp_new_file, for "PATH.XXXXXX" in the current directory; out receives
 * the name.
 */
int cp_new_file_beside(const char *path, char *out, size_t cap, mode_t mode);

/*
 * Creates a file without a name in $TMPDIR or /tmp; the kernel deletes it on
 * close.
 */
int cp_new_file_scratch(void);

#endif
