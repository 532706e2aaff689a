/* proc_self.c - chooses between /proc/self and /proc/thread-self. */
#include "base/proc_self.h"

#include <stdio.h>
#include <unistd.h>

const char *cp_proc_self(const char *name, char out[CP_PROC_SELF_BYTES])
{
    char start[1];
    const char *dir = readlink("/proc/self/exe", start, sizeof(start)) > 0
                          ? "self"
                          : "thread-self";

    (void)snprintf(out, CP_PROC_SELF_BYTES, "/proc/%s/%s", dir, name);
    return out;
}
