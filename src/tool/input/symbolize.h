/*
 * symbolize - names, files and lines for a profile's addresses.
 *
 * First from the files that the mappings name (symbolize_file.h), then from
 * the servers that the profile came from (remote_symbols.h), and last the
 * names are made readable. What cannot be had is told and left out; it is no
 * failure.
 */
#ifndef CP_SYMBOLIZE_H
#define CP_SYMBOLIZE_H

#include "base/error.h"
#include "base/warn.h"

struct cp_command;
struct cp_profile;
struct cp_remote;

/* remote may be NULL: nothing was fetched. */
enum cp_status cp_symbolize(struct cp_profile *p, const struct cp_command *c,
                            const struct cp_remote *remote, cp_warn warn,
                            void *context, struct cp_error *err);

#endif
