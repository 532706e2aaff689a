/*
 * target_file - the file that something is written to, which may be none.
 *
 * An ordinary file is written under another name and renamed at the end. What
 * else has a name (a device, a pipe, a link) is to stay what it is: root could
 * put a file in the place of /dev/null.
 */
#ifndef CP_TARGET_FILE_H
#define CP_TARGET_FILE_H

#include <stdbool.h>

/* Whether a file beside the path can take its place. */
bool cp_target_is_replaceable(const char *path);

/*
 * Opens what cannot be replaced, to be written to directly; -1 with errno. A
 * pipe that nobody reads is an error: nobody is waited for.
 */
int cp_target_open(const char *path);

#endif
