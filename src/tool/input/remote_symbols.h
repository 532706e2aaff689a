/*
 * remote_symbols - names from the server that a profile was fetched from.
 *
 * Servers answer a POST of addresses, 0x1000+0x2000, with a line "0x1000
 * name" for each that they know. They do so at .../symbol beside the profiles
 * of Go and gperftools, and at .../symbolz elsewhere.
 */
#ifndef CP_REMOTE_SYMBOLS_H
#define CP_REMOTE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/warn.h"

struct cp_command;
struct cp_line_adder;
struct cp_profile;
struct cp_remote_source;

/* Which server knows which mapping. Starts as { 0 }. */
struct cp_remote {
    struct cp_remote_source *sources;
    size_t n, cap;
    struct cp_arena arena;
};

/*
 * Notes that p came from that address. A mapping with neither file nor build
 * id gets the address for a file name until cp_remote_forget.
 */
enum cp_status cp_remote_note(struct cp_remote *r, struct cp_profile *p,
                              const char *address, struct cp_error *err);

/* Takes such names away again. */
void cp_remote_forget(struct cp_profile *p);

/* Asks the servers about mappings that have no functions, or about all. */
enum cp_status cp_remote_symbolize(const struct cp_remote *r,
                                   struct cp_line_adder *a,
                                   const struct cp_command *c, bool is_forced,
                                   cp_warn warn, void *context,
                                   struct cp_error *err);

void cp_remote_release(struct cp_remote *r);

#endif
