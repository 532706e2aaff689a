/*
 * live - new profiles of the program that the first one came from.
 *
 * For the page of pprof -http. Each is taken by another run of this program,
 * which fetches, names and saves it as the first one was.
 */
#ifndef CP_LIVE_H
#define CP_LIVE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/arena.h"
#include "web/jobs.h"

struct cp_command;

/* Starts with cp_live_init. */
struct cp_live {
    struct cp_web_live web;
    const struct cp_command *command;
    const char *base; /* "http://host:port/debug/pprof/" */
    atomic_int pid;   /* of the run under way */
    atomic_bool is_over;
    struct cp_arena arena;
};

/* False when the profile is not of a running program. c outlives it. */
bool cp_live_init(struct cp_live *live, const struct cp_command *c);
void cp_live_release(struct cp_live *live);

#endif
