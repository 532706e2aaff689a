/*
 * start - becomes another program, with the library in it.
 *
 * The socket is opened here and handed on: the port is known before the
 * program begins, nobody can take it in between, and whoever connects early
 * waits for it. Then this process becomes the program: signals, the terminal
 * and the exit status are its own.
 */
#ifndef CP_START_H
#define CP_START_H

#include <stdbool.h>

#include "base/error.h"

struct cp_start {
    const char *listen;   /* as in PPROFLISTEN */
    const char *library;  /* the path of libcpprof.so */
    const char *settings; /* for CPPROF, after what is there; "": none */
    bool follows;         /* children have addresses of their own */
};

/* Where it will be: "http://127.0.0.1:6060/debug/pprof/", or "". */
#define CP_START_ADDRESS 256

/*
 * Sets the environment up, and opens the socket. On failure nothing has
 * happened but to the environment.
 */
enum cp_status cp_start_prepare(const struct cp_start *s,
                                char out_address[CP_START_ADDRESS],
                                struct cp_error *err);

/* Executes; returns only when that fails, with errno. */
void cp_start_execute(const char *path, char *const *argv);

#endif
