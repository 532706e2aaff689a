/* pid_name.c - expands {pid} in file names. */
#include "base/pid_name.h"

#include <stdio.h>
#include <string.h>

bool cp_pid_name_expand(const char *from, long pid, char *to, size_t cap)
{
    size_t n = 0;

    while (*from) {
        bool is_pid = strncmp(from, CP_PID_NAME, sizeof(CP_PID_NAME) - 1) == 0;
        int more = is_pid ? snprintf(to + n, cap - n, "%ld", pid)
                          : snprintf(to + n, cap - n, "%c", *from);

        if (more < 0 || (size_t)more >= cap - n)
            return false;
        n += (size_t)more;
        from += is_pid ? sizeof(CP_PID_NAME) - 1 : 1;
    }
    return n > 0;
}
