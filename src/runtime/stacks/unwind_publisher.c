/* unwind_publisher.c - owns the list of loaded objects and their tables. */
#include "runtime/stacks/unwind_publisher.h"

#include "base/assert/assert.h"
#include "runtime/os/lock.h"
#include "runtime/symbolize/unloaded_modules.h"
#include "unwind/objects.h"

#define DEFAULT_BYTES ((size_t)128 << 20)

static struct {
    struct cp_lock lock; /* protects all below */
    size_t max_bytes;    /* 0 means DEFAULT_BYTES */
    struct cp_objects *objects;
    unsigned n_changes_recorded; /* changes known to unloaded_modules */
} publisher;

void cp_unwind_publisher_configure(size_t max_bytes)
{
    publisher.max_bytes = max_bytes;
}

/* Called with the lock held. */
static enum cp_status refresh(bool with_code, bool *is_changed,
                              struct cp_error *err)
{
    enum cp_status status;
    unsigned n_changes;

    CP_ASSERT(cp_lock_is_held(&publisher.lock));
    if (!publisher.objects)
        publisher.objects = cp_objects_new(
            publisher.max_bytes ? publisher.max_bytes : DEFAULT_BYTES, err);
    if (!publisher.objects)
        return CP_ENOMEM;
    status = cp_objects_refresh(publisher.objects, with_code, err);
    n_changes = cp_objects_changes(publisher.objects);
    *is_changed = n_changes != publisher.n_changes_recorded;
    publisher.n_changes_recorded = n_changes;
    return status;
}

enum cp_status cp_unwind_publisher_refresh(bool with_code, struct cp_error *err)
{
    enum cp_status status;
    bool is_changed = false;

    cp_lock_acquire(&publisher.lock);
    status = refresh(with_code, &is_changed, err);
    cp_lock_release(&publisher.lock);
    if (is_changed)
        cp_unloaded_modules_record();
    return status;
}

void cp_unwind_publisher_free(void)
{
    cp_lock_acquire(&publisher.lock);
    cp_objects_free(publisher.objects);
    publisher.objects = NULL;
    cp_lock_release(&publisher.lock);
}

/*
 * The fork does not acquire this lock: its holder may wait for the loader's
 * lock, which the forking thread may hold. So the copied lock may be held and
 * the objects may be inconsistent; they are leaked then and built again.
 */
void cp_unwind_publisher_reset_after_fork(void)
{
    if (cp_lock_is_held(&publisher.lock))
        publisher.objects = NULL;
    cp_lock_reset(&publisher.lock);
}
