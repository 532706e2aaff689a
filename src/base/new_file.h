/*
 * new_file - creates a file that was not there.
 *
 * The only way in which both products create files. The name gets a random
 * part, the file is opened with O_EXCL and O_NOFOLLOW, and the caller renames
 * it when it is complete. So a link or a file that another user has put in the
 * way is never written to, and a file that a crash left behind blocks nothing.
 *
 * Context: any thread; allocates nothing. Locking: none.
 * Failure: -1 with errno.
 */
#ifndef CP_NEW_FILE_H
#define CP_NEW_FILE_H

#include <stddef.h>
#include <sys/types.h>

#define CP_NEW_FILE_RANDOM ".XXXXXX" /* the end of a name, to be replaced */

/*
 * Creates and opens a file for reading and writing, close-on-exec. `path`
 * contains XXXXXX before its last suffix_len bytes; these are replaced. A path
 * that is relative belongs to `folder` (AT_FDCWD: the current one). The mode is
 * subject to umask.
 */
int cp_new_file(int folder, char *path, size_t suffix_len, mode_t mode);

/* The same for "PATH.XXXXXX" in the current folder; out has the name. */
int cp_new_file_beside(const char *path, char *out, size_t cap, mode_t mode);

/*
 * Creates a file without a name in $TMPDIR or /tmp, which is gone when it is
 * closed.
 */
int cp_new_file_scratch(void);

#endif
