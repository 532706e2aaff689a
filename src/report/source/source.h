/*
 * source - source files as a profile names them, found on this machine.
 *
 * A file name in a profile is where the compiler saw the file. It is trimmed
 * (see base/path.h) and, unless still absolute, looked for below every
 * directory of source_path and below each of their parents. Whole files are
 * kept, since functions of one file come one after the other only by chance;
 * when they grow too many, all are dropped.
 *
 * For the reports that show source. Not for use from two threads at once.
 */
#ifndef CP_SOURCE_H
#define CP_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strtab.h"

struct cp_error;

/*
 * Of a longer file the rest is as if it were not there. Likewise from the
 * first line on that is longer than a line may be, as in the reference.
 */
#define CP_SOURCE_FILE_BYTES ((size_t)64 << 20)
#define CP_SOURCE_LINE_BYTES 65535

struct cp_source_file {
    struct cp_str problem; /* why there is no text; empty when there is */
    const char *text;
    uint32_t n_lines;
    uint32_t *starts; /* n_lines + 1: the last is past the last line's end */
    bool is_known;
};

/* Starts as { 0 }. */
struct cp_source {
    const char *search_path, *trim_path; /* lists with colons */
    char *cwd;                           /* libc's; the default search_path */
    struct cp_strtab names;
    struct cp_source_file *files; /* by number in names */
    size_t cap_files, n_bytes;
    struct cp_arena arena;
};

/*
 * Takes both lists, which must outlive it; an empty source_path means the
 * current directory.
 */
void cp_source_init(struct cp_source *s, const char *source_path,
                    const char *trim_path);
void cp_source_release(struct cp_source *s);

/*
 * The file of that name, borrowed until the next call. A file that cannot be
 * read has a problem, in the reference's words, and no lines; NULL with *err
 * set is for lack of memory only.
 */
const struct cp_source_file *
cp_source_open(struct cp_source *s, struct cp_str name, struct cp_error *err);

/* Whether a file of that name has been opened, or tried, before. */
bool cp_source_was_asked(const struct cp_source *s, struct cp_str name);

/* Line `line`, from 1 to n_lines, without its end. */
struct cp_str cp_source_line(const struct cp_source_file *f, uint32_t line);

#endif
