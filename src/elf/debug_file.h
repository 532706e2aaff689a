/*
 * debug_file - finds the separate debug information of a file.
 *
 * Distributions ship it in a file named after the build id, or in a file that
 * .gnu_debuglink names with its checksum. dwz moves data shared by several
 * files to a third file, named by .gnu_debugaltlink.
 */
#ifndef CP_DEBUG_FILE_H
#define CP_DEBUG_FILE_H

#include <stdbool.h>

struct cp_elf;

/*
 * Opens the file with the debug information of e; `path` is that of e, NULL if
 * unknown. `dirs` is NULL-terminated; NULL means /usr/lib/debug. Returns false,
 * without setting an error, if there is none.
 */
bool cp_debug_file_open(const struct cp_elf *e, const char *path,
                        const char *const *dirs, struct cp_elf **out);

/*
 * Opens the file with the data that dwz moved out of e, like
 * cp_debug_file_open.
 */
bool cp_debug_file_open_alt(const struct cp_elf *e, const char *path,
                            const char *const *dirs, struct cp_elf **out);

/* Whether e needs the file that cp_debug_file_open_alt opens. */
bool cp_debug_file_has_alt(const struct cp_elf *e);

#endif
