/*
 * sandbox_hooks.c - the program confines itself: prctl.
 *
 * A filter of system calls may end who makes one that it does not expect. From
 * the first step towards a filter on, which is always the same unless it is
 * taken with the rights of root, the program's own threads make none for us to
 * learn where code is (walk_map.h), and bring no thread of ours; those after a
 * fork remain. A filter that was there before the program has seen us start,
 * and let us.
 */
#include <stdarg.h>
#include <sys/prctl.h>

#include "runtime/next.h"
#include "runtime/walk_map.h"

/* Whatever the option, the kernel is given all four, as libc does it. */
__attribute__((visibility("default"))) int prctl(int option, ...)
{
    CP_NEXT(prctl);
    unsigned long a[4];
    va_list more;

    va_start(more, option);
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(more, unsigned long);
    va_end(more);
    if (option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS)
        cp_walk_map_confine();
    return next(option, a[0], a[1], a[2], a[3]);
}
