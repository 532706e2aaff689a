/*
 * live - takes new profiles of the program that the first one came from.
 *
 * Used by the page of pprof -http. Each profile is taken by a child process
 * that runs this tool, which fetches, symbolizes and saves it as the first one.
 */
#ifndef CP_LIVE_H
#define CP_LIVE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/arena.h"
#include "web/jobs.h"

struct cp_command;

/* Initialize with cp_live_init. */
struct cp_live {
    struct cp_web_live web;
    const struct cp_command *command;
    const char *base; /* "http://host:port/debug/pprof/" */
    atomic_int pid;   /* child process, or 0 */
    atomic_bool is_cancelled;
    struct cp_arena arena;
};

/*
 * Returns false if the profile does not come from a running program. Borrows c.
 */
bool cp_live_init(struct cp_live *live, const struct cp_command *c);
void cp_live_release(struct cp_live *live);

#endif
