/*
 * jeprof - the tool for those who know jemalloc's jeprof or the Perl pprof.
 *
 * The command line, the addresses of servers, the numbers and the table of
 * --text are theirs; everything else is pprof's.
 */
#ifndef CP_JEPROF_H
#define CP_JEPROF_H

struct cp_arena;
struct cp_error;

/* Runs jeprof; returns the exit status: 0, 1 on failure, 2 on misuse. */
int cp_jeprof_main(int argc, const char *const *argv);

/*
 * The address that jeprof means: a service is added to one that names none,
 * "/pprof/heap" to .../mem and "/pprof/profile?seconds=N" to others. Made in
 * the arena or the same; NULL with *err set.
 */
const char *cp_jeprof_url(const char *name, int seconds, struct cp_arena *arena,
                          struct cp_error *err);

#endif
