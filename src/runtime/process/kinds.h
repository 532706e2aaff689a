/*
 * kinds - the list of profile kinds of the library.
 *
 * Context: any thread. Locking: none.
 */
#ifndef CP_KINDS_H
#define CP_KINDS_H

struct cp_kind;

/* Ends in NULL. */
extern const struct cp_kind *const cp_kinds[];

/* A built-in or custom kind of that name, or NULL. */
const struct cp_kind *cp_kinds_find(const char *name);

#endif
