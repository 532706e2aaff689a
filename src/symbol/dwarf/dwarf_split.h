/*
 * dwarf_split - units whose entries are in another file.
 *
 * With -gsplit-dwarf the program contains only skeleton units. The entries are
 * in a .dwo file beside each object file, or together in one .dwp file. A file
 * is opened on first use and stays open.
 *
 * Context: any thread. Locking: takes its own lock.
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
 * `path` is the path of the program: PATH.dwp and its directory are searched.
 * If it is NULL, no file is opened.
 */
struct cp_split *cp_split_new(const char *path, const struct cp_elf *of,
                              struct cp_error *err);

/* Frees s, which may be NULL. */
void cp_split_free(struct cp_split *s);

/* Frees fetched pages if memory is limited. */
void cp_split_drop(struct cp_split *s);

/*
 * Finds the unit of a skeleton and reads its root; false if its file is missing
 * or does not contain it.
 */
bool cp_split_unit(struct cp_split *s, struct cp_worker *w,
                   const struct cp_dwarf_unit *skeleton,
                   struct cp_dwarf_unit *out);

/* Returns the path of a missing file, or NULL. */
const char *cp_split_missing(const struct cp_split *s);

#endif
