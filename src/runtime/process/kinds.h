/* kinds - every kind of profile that the library takes. */
#ifndef CP_KINDS_H
#define CP_KINDS_H

struct cp_kind;

/* Ended by NULL. */
extern const struct cp_kind *const cp_kinds[];

/* The kind of that name, or NULL. */
const struct cp_kind *cp_kinds_find(const char *name);

#endif
