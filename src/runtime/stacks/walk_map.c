/* walk_map.c - see walk_map.h. */
#include "runtime/stacks/walk_map.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "runtime/os/lock.h"
#include "runtime/symbolize/past_maps.h"
#include "signal/signals/mask.h"
#include "signal/tables/readers.h"
#include "signal/tables/thread.h"
#include "unwind/objects.h"

#define USUAL_BYTES ((size_t)128 << 20)
#define ROOM_ON_STACK ((uintptr_t)256 << 10) /* for a look */

_Atomic bool cp_walk_map_is_alone;

static struct {
    size_t most_bytes;
    struct cp_objects *objects;
    struct cp_lock lock;
    unsigned n_changes_noted; /* of the objects, in past_maps */
    uint32_t n_met, next_met; /* of those that met unknown code, who looks */
    const char *is_single;    /* libc's word for it; musl has none */
    _Atomic bool is_confined; /* calls of ours could end the program */
} map;

void cp_walk_map_configure(size_t most_bytes)
{
    map.most_bytes = most_bytes;
}

static enum cp_status look(bool with_code, bool *is_changed,
                           struct cp_error *err)
{
    enum cp_status status;
    unsigned n_changes;

    if (!map.objects)
        map.objects =
            cp_objects_new(map.most_bytes ? map.most_bytes : USUAL_BYTES, err);
    if (!map.objects)
        return CP_ENOMEM;
    status = cp_objects_refresh(map.objects, with_code, err);
    n_changes = cp_objects_changes(map.objects);
    *is_changed = n_changes != map.n_changes_noted;
    map.n_changes_noted = n_changes;
    return status;
}

/* No handler of the program's runs meanwhile: it might fork. */
enum cp_status cp_walk_map_look(bool with_code, struct cp_error *err)
{
    uint64_t before = cp_signal_mask_block();
    enum cp_status status;
    bool is_changed = false;

    cp_lock_take(&map.lock);
    status = look(with_code, &is_changed, err);
    cp_lock_give(&map.lock);
    if (is_changed)
        cp_past_maps_note();
    cp_signal_mask_restore(before);
    return status;
}

void cp_walk_map_free(void)
{
    cp_lock_take(&map.lock);
    cp_objects_free(map.objects);
    map.objects = NULL;
    cp_lock_give(&map.lock);
}

/*
 * The lock was not taken for the fork: whoever has it may be waiting for the
 * loader's, which the thread that forks may hold. So somebody may have been at
 * work on the objects; then they are given up, and found anew.
 */
void cp_walk_map_after_fork(void)
{
    if (atomic_load(&map.lock.word) != 0)
        map.objects = NULL;
    cp_lock_reset(&map.lock);
}

bool cp_walk_map_learn(void)
{
    map.is_single = dlsym(RTLD_DEFAULT, "__libc_single_threaded");
    return !map.is_single || *map.is_single;
}

void cp_walk_map_confine(void)
{
    atomic_store(&map.is_confined, true);
}

bool cp_walk_map_is_confined(void)
{
    return atomic_load(&map.is_confined);
}

static bool has_one_thread(void)
{
    return map.is_single && *(const volatile char *)map.is_single;
}

/* A handler may have interrupted anything, the loader or us. */
static bool is_in_the_open(void)
{
    const struct cp_signal_thread *t = cp_signal_self;
    struct cp_signal_place *place = cp_signal_enter(0);
    struct cp_signal_walk walk = { 0 };
    struct cp_signal_regs regs;

    if (!place)
        return false;
    if (t) {
        walk.reach.stack_low = atomic_load(&t->stack_low);
        walk.reach.stack_high = atomic_load(&t->stack_high);
    }
    walk.map = cp_signal_map();
    cp_arch_here(&regs);
    (void)cp_signal_walk(&walk, regs, place->frames);
    cp_signal_leave(place);
    return walk.end == CP_WALK_WHOLE && !walk.met_signal;
}

/* May the program's own thread look? */
static bool may_look(void)
{
    return atomic_load(&cp_walk_map_is_alone) && has_one_thread() &&
           !atomic_load(&map.is_confined);
}

void cp_walk_map_before_fork(void)
{
    if (may_look() && map.objects && is_in_the_open())
        (void)cp_walk_map_look(false, NULL);
}

/* On the stack that the program was started on, and not near its end? */
static bool has_room(void)
{
    const struct cp_signal_thread *t = cp_signal_self;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    return t && here < atomic_load(&t->stack_high) &&
           here - ROOM_ON_STACK > atomic_load(&t->stack_low) &&
           atomic_load(&t->tid) == CP_SYSCALL(SYS_getpid, 0);
}

/*
 * The first time, and then the less often the more often it was in vain: code
 * that no object has is met again and again.
 */
void cp_walk_map_met_unknown(void)
{
    unsigned n_changes = map.n_changes_noted;
    int number = errno;

    if (!may_look() || map.n_met++ < map.next_met || !has_room() ||
        atomic_load(&map.lock.word) != 0)
        return;
    if (cp_walk_map_look(true, NULL) == CP_OK &&
        n_changes != map.n_changes_noted)
        map.next_met = 0;
    else
        map.next_met = 2 * map.next_met + 1;
    map.n_met = 0;
    errno = number;
}
