/*
 * start - prepares the environment for preloading, and executes the program.
 *
 * The listening socket is opened here and inherited. So the port is known
 * before the program starts, no other process can bind it first, and early
 * clients wait in its queue. exec() keeps process id, terminal and signals, and
 * the exit status is that of the program.
 */
#ifndef CP_START_H
#define CP_START_H

#include <stdbool.h>

#include "base/error.h"

struct cp_start {
    const char *listen;   /* format of PPROFLISTEN */
    const char *library;  /* path of libcpprof.so */
    const char *settings; /* appended to CPPROF; may be "" */
    bool follows;         /* whether children serve on their own addresses */
};

/* "http://127.0.0.1:6060/debug/pprof/", or "" if the program opens it. */
#define CP_START_ADDRESS 256

/*
 * Sets the environment variables and opens the socket. A failure may leave the
 * environment changed.
 */
enum cp_status cp_start_prepare(const struct cp_start *s,
                                char out_address[CP_START_ADDRESS],
                                struct cp_error *err);

/* Returns only if exec fails, with errno. */
void cp_start_execute(const char *path, char *const *argv);

#endif
