/*
 * attach - loads the library into a running process, and sends it away.
 *
 * Attached, the process serves its profiles until it is told to stop; then the
 * library is still mapped but does nothing and holds next to nothing. The next
 * attach finds it there.
 */
#ifndef CP_ATTACH_H
#define CP_ATTACH_H

#include <sys/types.h>

#include "base/error.h"

#define CP_ATTACH_ADDRESS 256

struct cp_attach {
    pid_t pid;
    const char *library;  /* the path of libcpprof.so */
    const char *listen;   /* as in PPROFLISTEN */
    const char *settings; /* as in CPPROF */
};

/* Gives the address. On failure the process is as it was. */
enum cp_status cp_attach(const struct cp_attach *a,
                         char out_address[CP_ATTACH_ADDRESS],
                         struct cp_error *err);

/*
 * Ends a visit without the endpoint, by a call in the process: for when the
 * endpoint cannot be reached.
 */
enum cp_status cp_attach_withdraw(pid_t pid, struct cp_error *err);

/* Asks the endpoint there to end, and waits until it has. */
enum cp_status cp_attach_detach(const char *address, struct cp_error *err);

#endif
