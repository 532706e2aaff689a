/* file_start - reads the beginning of a small file, such as one in /proc. */
#ifndef CP_FILE_START_H
#define CP_FILE_START_H

#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

/*
 * Reads up to cap - 1 bytes of a file and appends a NUL. `folder` is a
 * directory descriptor as for openat; `flags` are added to O_RDONLY. Returns
 * the length; on failure returns -1 with errno and sets out to "".
 */
ssize_t cp_file_start(int folder, const char *name, int flags, char *out,
                      size_t cap);

#endif
