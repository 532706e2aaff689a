/* unloaded_modules.c - keeps the union of all mappings recorded so far. */
#include "runtime/symbolize/unloaded_modules.h"

#include "runtime/os/lock.h"
#include "runtime/symbolize/mappings.h"

#define MAX_MAPS 4096 /* a program may load and unload without end */

static struct {
    struct cp_lock lock;
    struct cp_mappings maps;
} past;

void cp_unloaded_modules_record(void)
{
    struct cp_mappings now, old;
    enum cp_status status = cp_mappings_read(&now, NULL);

    if (status != CP_OK)
        return;
    cp_lock_acquire(&past.lock);
    if (past.maps.n_maps < MAX_MAPS)
        status = cp_mappings_join(&now, &past.maps, NULL);
    old = status == CP_OK ? past.maps : now;
    if (status == CP_OK)
        past.maps = now;
    cp_lock_release(&past.lock);
    cp_mappings_release(&old);
}

enum cp_status cp_unloaded_modules_join(struct cp_mappings *m,
                                        struct cp_error *err)
{
    enum cp_status status;

    cp_lock_acquire(&past.lock);
    status = cp_mappings_join(m, &past.maps, err);
    cp_lock_release(&past.lock);
    return status;
}

void cp_unloaded_modules_reset_after_fork(void)
{
    if (cp_lock_is_held(&past.lock)) /* may be inconsistent */
        past.maps = (struct cp_mappings){ 0 };
    cp_lock_reset(&past.lock);
}
