/*
 * debug_file - where the debug information of a file is.
 *
 * Distributions keep it apart: in a file named after the build id, or in one
 * that .gnu_debuglink names with its checksum. dwz moves what several files
 * share into one more, named by .gnu_debugaltlink.
 */
#ifndef CP_DEBUG_FILE_H
#define CP_DEBUG_FILE_H

#include <stdbool.h>

struct cp_elf;

/*
 * Opens the file with the debug information of e, which was opened from
 * `path` (NULL: not known). `dirs` is closed by NULL; NULL means
 * /usr/lib/debug. Returns false, without a message, if there is none.
 */
bool cp_debug_file_open(const struct cp_elf *e, const char *path,
                        const char *const *dirs, struct cp_elf **out);

/* The same for what dwz moved out of e. */
bool cp_debug_file_open_alt(const struct cp_elf *e, const char *path,
                            const char *const *dirs, struct cp_elf **out);

/* Whether e needs the file that cp_debug_file_open_alt looks for. */
bool cp_debug_file_has_alt(const struct cp_elf *e);

#endif
