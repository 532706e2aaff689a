/*
 * target_file - the file that something is written to, which may be none.
 *
 * An ordinary file is written under another name (new_file.h) and renamed at
 * the end. A device, a pipe or a link stays what it is and is written to
 * directly: root could put a file in the place of /dev/null.
 */
#ifndef CP_TARGET_FILE_H
#define CP_TARGET_FILE_H

#include <stdbool.h>

/* Can a file beside the path take its place? */
bool cp_target_is_replaceable(const char *path);

/*
 * Opens a target that cannot be replaced; -1 with errno. A link is followed if
 * it belongs to this user or to root; otherwise errno is ELOOP. With `waits`
 * the call waits for a reader of a pipe; without it such a pipe is an error.
 */
int cp_target_open(const char *path, bool waits);

/* The text for an errno of the above. */
const char *cp_target_why(int number);

#endif
