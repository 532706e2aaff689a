/*
 * jeprof - the command jeprof, compatible with jemalloc's jeprof and the Perl
 * pprof.
 *
 * It has their command line, server addresses, numbers and --text table.
 * Everything else is shared with pprof.
 */
#ifndef CP_JEPROF_H
#define CP_JEPROF_H

struct cp_arena;
struct cp_error;

/* Runs jeprof. Returns the exit status: 0, 1 on failure, 2 on a usage error. */
int cp_jeprof_main(int argc, const char *const *argv);

/*
 * Completes an address as jeprof does: adds "/pprof/heap" to .../mem, and
 * "/pprof/profile?seconds=N" to other addresses without a service. Returns name
 * or a string in the arena; NULL with *err set on failure.
 */
const char *cp_jeprof_url(const char *name, int seconds, struct cp_arena *arena,
                          struct cp_error *err);

#endif
