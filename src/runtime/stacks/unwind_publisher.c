/* unwind_publisher.c - see unwind_publisher.h. */
#include "runtime/stacks/unwind_publisher.h"

#include <stdatomic.h>

#include "base/error.h"
#include "runtime/os/lock.h"
#include "runtime/symbolize/unloaded_modules.h"
#include "unwind/objects.h"

#define USUAL_BYTES ((size_t)128 << 20)

static struct {
    size_t max_bytes;
    struct cp_objects *objects;
    struct cp_lock lock;
    unsigned n_changes_noted; /* of the objects, in past_maps */
} map;

void cp_unwind_publisher_configure(size_t max_bytes)
{
    map.max_bytes = max_bytes;
}

static enum cp_status look(bool with_code, bool *is_changed,
                           struct cp_error *err)
{
    enum cp_status status;
    unsigned n_changes;

    if (!map.objects)
        map.objects =
            cp_objects_new(map.max_bytes ? map.max_bytes : USUAL_BYTES, err);
    if (!map.objects)
        return CP_ENOMEM;
    status = cp_objects_refresh(map.objects, with_code, err);
    n_changes = cp_objects_changes(map.objects);
    *is_changed = n_changes != map.n_changes_noted;
    map.n_changes_noted = n_changes;
    return status;
}

enum cp_status cp_unwind_publisher_refresh(bool with_code, struct cp_error *err)
{
    enum cp_status status;
    bool is_changed = false;

    cp_lock_acquire(&map.lock);
    status = look(with_code, &is_changed, err);
    cp_lock_release(&map.lock);
    if (is_changed)
        cp_unloaded_modules_record();
    return status;
}

void cp_unwind_publisher_free(void)
{
    cp_lock_acquire(&map.lock);
    cp_objects_free(map.objects);
    map.objects = NULL;
    cp_lock_release(&map.lock);
}

/*
 * The lock was not taken for the fork: whoever has it may be waiting for the
 * loader's, which the thread that forks may hold. So somebody may have been at
 * work on the objects; then they are given up, and found anew.
 */
void cp_unwind_publisher_reset_after_fork(void)
{
    if (atomic_load(&map.lock.word) != 0)
        map.objects = NULL;
    cp_lock_reset(&map.lock);
}
