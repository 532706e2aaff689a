/* unlock.c - measures the waiters of an object, releases it, records them. */
#include "runtime/hooks/unlock.h"

#include "signal/waits/waits.h"

typedef struct cp_unlock_event before_fn(const void *object);

static inline int release(void *object, cp_unlock_fn *real, before_fn *before,
                          uintptr_t caller)
{
    struct cp_unlock_event event;
    int status;

    if (!cp_waits_have_waiters(object))
        return real(object);
    event = before(object);
    status = real(object);
    if (status == 0)
        cp_waits_after_unlock(object, &event, caller);
    return status;
}

int cp_hook_unlock(void *lock, cp_unlock_fn *real, uintptr_t caller)
{
    return release(lock, real, cp_waits_before_unlock, caller);
}

int cp_hook_wake(void *object, cp_unlock_fn *real, uintptr_t caller)
{
    return release(object, real, cp_waits_before_wake, caller);
}
