/*
 * target_file - the destination of output, which may not be a regular file.
 *
 * A regular file is written under a temporary name (new_file.h) and renamed at
 * the end. A device, a pipe or a link is written to directly; otherwise root
 * could replace /dev/null by a file.
 */
#ifndef CP_TARGET_FILE_H
#define CP_TARGET_FILE_H

#include <stdbool.h>

/*
 * Whether a rename may replace the path: it is a regular file or does not
 * exist.
 */
bool cp_target_is_replaceable(const char *path);

/*
 * Opens a target that cannot be replaced; -1 with errno. Follows a link only if
 * it belongs to this user or to root; otherwise errno is ELOOP. With `waits`
 * the call waits for a reader of a pipe; otherwise a pipe without a reader is
 * an error.
 */
int cp_target_open(const char *path, bool waits);

/* Returns the message for an errno of cp_target_open. */
const char *cp_target_error(int number);

#endif
