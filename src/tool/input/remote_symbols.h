/*
 * remote_symbols - fetches symbols from the server that a profile came from.
 *
 * The tool POSTs addresses as "0x1000+0x2000"; the server replies with a line
 * "0x1000 name" for each address that it knows. The URL is .../symbol beside
 * the profiles of Go and gperftools, and .../symbolz elsewhere.
 */
#ifndef CP_REMOTE_SYMBOLS_H
#define CP_REMOTE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/warn.h"

struct cp_command;
struct cp_line_adder;
struct cp_profile;
struct cp_remote_source;

/* Which server knows which mapping. Initialize with { 0 }. */
struct cp_remote {
    struct cp_remote_source *sources;
    size_t n, cap;
    struct cp_arena arena;
};

/*
 * Records that p came from that address. A mapping with neither file nor build
 * id gets the address as its file name until cp_remote_restore_names.
 */
enum cp_status cp_remote_note(struct cp_remote *r, struct cp_profile *p,
                              const char *address, struct cp_error *err);

/* Removes these substitute file names. */
void cp_remote_restore_names(struct cp_profile *p);

/* Requests symbols for mappings without functions, or for all. */
enum cp_status cp_remote_symbolize(const struct cp_remote *r,
                                   struct cp_line_adder *a,
                                   const struct cp_command *c, bool is_forced,
                                   cp_warn warn, void *context,
                                   struct cp_error *err);

void cp_remote_release(struct cp_remote *r);

#endif
