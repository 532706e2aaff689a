/*
 * meeting - an address that both cpprof and a process can reach.
 *
 * A process in another network namespace (PrivateNetwork=, a container) has
 * another loopback: what it binds there cannot be reached from here. A unix
 * socket works if both see its folder. All of this is known from /proc, before
 * the process is touched.
 */
#ifndef CP_MEETING_H
#define CP_MEETING_H

#include <sys/types.h>

#include "base/error.h"

#define CP_MEETING_BYTES 160

/*
 * Gives the address to pass to the process: `listen` as it is, an absolute path
 * for a relative one, or, if listen is NULL, a free port or a new unix socket.
 * CP_EUSAGE says what to do if it cannot be reached from here.
 */
enum cp_status cp_meeting_choose(pid_t pid, const char *listen,
                                 char out[CP_MEETING_BYTES],
                                 struct cp_error *err);

#endif
