/*
 * attach - loads the library into a running process, and ends the session.
 *
 * During a session the process serves its profiles. After it the library stays
 * mapped and dormant (lifecycle.h), and the next attach uses it again.
 *
 * Context: the main thread of cpprof; blocks all signals while a thread of the
 * process is stopped.
 * Failure: err says why and what to do.
 */
#ifndef CP_ATTACH_H
#define CP_ATTACH_H

#include <sys/types.h>

#include "base/error.h"

#define CP_ATTACH_ADDRESS 256

struct cp_attach {
    pid_t pid;
    const char *library;  /* path of libcpprof.so */
    const char *listen;   /* listen address, in the format of PPROFLISTEN */
    const char *settings; /* settings, in the format of CPPROF */
};

/*
 * Attaches to the process and returns the address of its endpoint. On failure
 * the process is unchanged.
 */
enum cp_status cp_attach(const struct cp_attach *a,
                         char out_address[CP_ATTACH_ADDRESS],
                         struct cp_error *err);

/*
 * Ends a session by a call inside the process. Use it if the endpoint cannot be
 * reached.
 */
enum cp_status cp_attach_withdraw(pid_t pid, struct cp_error *err);

/*
 * Ends a session through its endpoint, and waits until the endpoint is closed.
 */
enum cp_status cp_attach_detach(const char *address, struct cp_error *err);

#endif
