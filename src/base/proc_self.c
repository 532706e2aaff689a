/* proc_self.c - see proc_self.h. */
#include "base/proc_self.h"

#include <stdio.h>
#include <unistd.h>

const char *cp_proc_self(const char *name, char out[CP_PROC_SELF_BYTES])
{
    char start[1];
    const char *whose = readlink("/proc/self/exe", start, sizeof(start)) > 0
                            ? "self"
                            : "thread-self";

    (void)snprintf(out, CP_PROC_SELF_BYTES, "/proc/%s/%s", whose, name);
    return out;
}
