/* mutex_quick.c - see mutex_quick.h. */
#include "runtime/mutex_quick.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include "runtime/valgrind.h"
#include "signal/syscall.h"

_Thread_local int cp_mutex_quick_id;

/* Only glibc has it. */
const char *gnu_get_libc_version(void) __attribute__((weak));

static const void *object_of(const void *address)
{
    Dl_info info;

    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

static bool is_glibc(cp_mutex_call *lock, cp_mutex_call *unlock)
{
    const void *libc = NULL;

    if (gnu_get_libc_version)
        libc = object_of((const void *)(uintptr_t)gnu_get_libc_version);
    return libc && object_of((const void *)(uintptr_t)lock) == libc &&
           object_of((const void *)(uintptr_t)unlock) == libc;
}

int cp_mutex_quick_learn(void)
{
    cp_mutex_quick_id = (int)CP_SYSCALL(SYS_gettid, 0);
    return cp_mutex_quick_id;
}

/* Is a mutex that we take, and libc lets go of, at each step as libc's own? */
static bool is_alike(cp_mutex_call *lock, cp_mutex_call *unlock)
{
    pthread_mutex_t theirs = PTHREAD_MUTEX_INITIALIZER, ours = theirs;

    for (int i = 0; i < 2; i++) {
        if (lock(&theirs) != 0 || !cp_mutex_is_plain(&ours) ||
            !cp_mutex_quick_take(&ours) || cp_mutex_quick_take(&ours) ||
            memcmp(&ours, &theirs, sizeof(ours)) != 0)
            return false;
        if (unlock(&theirs) != 0 || unlock(&ours) != 0 ||
            memcmp(&ours, &theirs, sizeof(ours)) != 0)
            return false;
    }
    return true;
}

bool cp_mutex_quick_is_right(cp_mutex_call *lock, cp_mutex_call *unlock)
{
    bool is_right = !cp_valgrind_is_here() && is_glibc(lock, unlock) &&
                    is_alike(lock, unlock);

    cp_mutex_quick_id = 0; /* as long as forks are not known of */
    return is_right;
}
