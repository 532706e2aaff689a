/*
 * source - finds the source files that a profile names on this machine.
 *
 * A profile has the file name that the compiler saw. It is trimmed
 * (base/path.h) and, unless still absolute, searched below every directory of
 * source_path and below each parent of it. Files are cached whole, because
 * functions of one file are not adjacent in a report. When the cache is full,
 * it is emptied.
 *
 * Context: one thread at a time.
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
 * Limits as in google/pprof: a longer file is cut, and a longer line ends the
 * file.
 */
#define CP_SOURCE_FILE_BYTES ((size_t)64 << 20)
#define CP_SOURCE_LINE_BYTES 65535

struct cp_source_file {
    struct cp_str problem; /* why it has no text; empty if it has */
    const char *text;
    uint32_t n_lines;
    uint32_t *starts; /* n_lines + 1 offsets; the last is past the end */
    bool is_known;
};

/* Initialize with { 0 }. */
struct cp_source {
    const char *search_path, *trim_path; /* colon-separated lists */
    char *cwd; /* default search_path, freed with free() */
    struct cp_strtab names;
    struct cp_source_file *files; /* indexed by index in names */
    size_t cap_files, n_bytes;
    struct cp_arena arena;
};

/*
 * Borrows both lists, which must outlive it. An empty source_path means the
 * current directory.
 */
void cp_source_init(struct cp_source *s, const char *source_path,
                    const char *trim_path);
void cp_source_release(struct cp_source *s);

/*
 * Returns the file of that name, borrowed until the next call. An unreadable
 * file has a problem, worded like google/pprof's, and no lines. NULL with *err
 * set means that memory is exhausted.
 */
const struct cp_source_file *
cp_source_open(struct cp_source *s, struct cp_str name, struct cp_error *err);

/* Whether a file of that name was opened, or tried, before. */
bool cp_source_was_tried(const struct cp_source *s, struct cp_str name);

/* Returns line `line`, from 1 to n_lines, without its newline. */
struct cp_str cp_source_line(const struct cp_source_file *f, uint32_t line);

#endif
