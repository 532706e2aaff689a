/*
 * dwarf_split - units whose entries are in another file.
 *
 * With -gsplit-dwarf, the program has skeletons only; the entries are in a
 * .dwo file beside each object, or all together in one .dwp file. Files are
 * opened when a unit in them is asked for and stay open. May be used by
 * several threads at once.
 */
#ifndef CP_DWARF_SPLIT_H
#define CP_DWARF_SPLIT_H

#include <stdbool.h>

struct cp_dwarf_unit;
struct cp_elf;
struct cp_error;
struct cp_worker;

struct cp_split;

/*
 * `path` is that of the program: PATH.dwp and its directory are looked in.
 * NULL: no file is opened.
 */
struct cp_split *cp_split_new(const char *path, const struct cp_elf *of,
                              struct cp_error *err);

/* NULL is allowed. */
void cp_split_free(struct cp_split *s);

/* Gives memory back, where it is limited. */
void cp_split_drop(struct cp_split *s);

/*
 * The unit that a skeleton stands for, with its root read; false: its file is
 * missing or does not have it.
 */
bool cp_split_unit(struct cp_split *s, struct cp_worker *w,
                   const struct cp_dwarf_unit *skeleton,
                   struct cp_dwarf_unit *out);

/* A file that was looked for and not found, or NULL. */
const char *cp_split_missing(const struct cp_split *s);

#endif
