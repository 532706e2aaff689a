/*
 * empty_kinds - stand-ins for kinds of profile that nobody provides.
 *
 * A scraper's default configuration asks for all that Go has; a kind that is
 * not there answers an empty profile with the right types, not an error.
 */
#ifndef CP_EMPTY_KINDS_H
#define CP_EMPTY_KINDS_H

#include <stdbool.h>

struct cp_error;
struct cp_kind;
struct cp_out;
struct cp_profile;

/* All of them, ended by NULL; their functions are NULL. */
extern const struct cp_kind *const cp_empty_kinds[];

/* The empty profile of such a kind; NULL with *err set. */
struct cp_profile *cp_empty_kind_profile(const struct cp_kind *kind,
                                         struct cp_error *err);

/* Whether the kind's answer is an execution trace and no profile. */
bool cp_empty_kind_is_trace(const struct cp_kind *kind);

/* A trace, in Go's format, in which nothing happens. */
void cp_empty_kind_trace(struct cp_out *out);

#endif
