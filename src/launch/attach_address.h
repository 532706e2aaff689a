/*
 * attach_address - chooses a listen address that both cpprof and the process
 * can use.
 *
 * A process in a different network namespace (PrivateNetwork=, a container) has
 * its own loopback interface, which cpprof cannot reach. A unix socket works if
 * both processes see its directory. /proc shows all this before the process is
 * stopped.
 */
#ifndef CP_ATTACH_ADDRESS_H
#define CP_ATTACH_ADDRESS_H

#include <sys/types.h>

#include "base/error.h"

#define CP_ATTACH_ADDRESS_BYTES 160

/*
 * Returns `listen` with an absolute path. If listen is NULL, chooses any free
 * port or a new unix socket. Fails with CP_EUSAGE if cpprof could not reach the
 * address.
 */
enum cp_status cp_attach_address_choose(pid_t pid, const char *listen,
                                        char out[CP_ATTACH_ADDRESS_BYTES],
                                        struct cp_error *err);

#endif
