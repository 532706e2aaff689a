/* file_start - the beginning of a small file, such as those of /proc. */
#ifndef CP_FILE_START_H
#define CP_FILE_START_H

#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

/*
 * Reads up to cap - 1 bytes and closes them with NUL. `folder` is as for
 * openat, `flags` come on top of O_RDONLY. Returns how many; -1 with errno if
 * it cannot be read, and the text is empty then.
 */
ssize_t cp_file_start(int folder, const char *name, int flags, char *out,
                      size_t cap);

#endif
