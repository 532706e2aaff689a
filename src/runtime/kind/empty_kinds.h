/*
 * empty_kinds - empty profiles for kinds that the process does not provide.
 *
 * Scrapers request every kind that Go has by default. For a missing kind the
 * endpoint returns an empty profile with the right types, not an error.
 *
 * Context: the endpoint thread. Locking: none; the tables are constant.
 */
#ifndef CP_EMPTY_KINDS_H
#define CP_EMPTY_KINDS_H

#include <stdbool.h>

struct cp_error;
struct cp_kind;
struct cp_out;
struct cp_profile;

/* All kinds that Go has, ended by NULL; their functions are NULL. */
extern const struct cp_kind *const cp_empty_kinds[];

/* The empty profile of such a kind; on failure NULL with *err set. */
struct cp_profile *cp_empty_kind_profile(const struct cp_kind *kind,
                                         struct cp_error *err);

/* Whether the kind is an execution trace, not a profile. */
bool cp_empty_kind_is_trace(const struct cp_kind *kind);

/* Appends an empty trace in Go's format. */
void cp_empty_kind_trace(struct cp_out *out);

#endif
