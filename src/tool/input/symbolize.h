/*
 * symbolize - adds function names, files and lines to a profile's addresses.
 *
 * It uses the files that the mappings name (symbolize_file.h), then the servers
 * that the profile came from (remote_symbols.h), and then demangles the names.
 * Missing symbols are reported to `warn` and are not a failure.
 */
#ifndef CP_SYMBOLIZE_H
#define CP_SYMBOLIZE_H

#include "base/error.h"
#include "base/warn.h"

struct cp_command;
struct cp_profile;
struct cp_remote;

/* Symbolizes and demangles; remote may be NULL if no source was fetched. */
enum cp_status cp_symbolize(struct cp_profile *p, const struct cp_command *c,
                            const struct cp_remote *remote, cp_warn warn,
                            void *context, struct cp_error *err);

#endif
