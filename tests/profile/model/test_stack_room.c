/* test_stack_room.c - tests src/profile/model/stack_room.c. */
#include "base/alloc.h"
#include "base/parallel.h"
#include "profile/model/stack_room.h"

#include "check.h"

static void test_stretches_are_apart(void)
{
    struct cp_stack_room r;
    uint32_t *a, *b, outside = 0;

    CHECK(cp_stack_room_init(&r, 100));
    a = cp_stack_room_take(&r, 60);
    CHECK(a == r.locs);
    CHECK(!cp_stack_room_take(&r, 41));
    CHECK(!cp_stack_room_take(&r, UINT64_MAX));
    b = cp_stack_room_take(&r, 40);
    CHECK(b == a + 60);
    CHECK(!cp_stack_room_take(&r, 1));
    CHECK(cp_stack_room_take(&r, 0) != NULL);
    CHECK(cp_stack_room_has(&r, a));
    CHECK(cp_stack_room_has(&r, b + 39));
    CHECK(!cp_stack_room_has(&r, b + 40));
    CHECK(!cp_stack_room_has(&r, &outside));
    CHECK(!cp_stack_room_has(&r, NULL));
    cp_stack_room_release(&r);
    CHECK(!cp_stack_room_take(&r, 1));
}

static void test_one_that_is_none(void)
{
    struct cp_stack_room r = { 0 };

    CHECK(!cp_stack_room_take(&r, 0));
    CHECK(!cp_stack_room_has(&r, NULL));
    cp_alloc_fail_at(1);
    CHECK(!cp_stack_room_init(&r, 100));
    CHECK(!cp_stack_room_take(&r, 1));
    cp_stack_room_release(&r);
}

/* Each thread writes its number into what it takes. */
struct taking {
    struct cp_stack_room room;
    uint32_t *taken[64];
};

static void take_some(void *context, size_t number)
{
    struct taking *t = context;

    t->taken[number] = cp_stack_room_take(&t->room, 1000 + number);
    for (size_t i = 0; t->taken[number] && i < 1000 + number; i++)
        t->taken[number][i] = (uint32_t)number;
}

static void test_threads(void)
{
    struct taking t;
    size_t n_wrong = 0;

    CHECK(cp_stack_room_init(&t.room, 70000));
    cp_parallel_run(64, take_some, &t);
    for (size_t k = 0; k < 64; k++) {
        CHECK(t.taken[k] != NULL);
        for (size_t i = 0; t.taken[k] && i < 1000 + k; i++)
            n_wrong += t.taken[k][i] != k;
    }
    CHECK_INT(n_wrong, 0);
    cp_stack_room_release(&t.room);
}

int main(void)
{
    RUN(test_stretches_are_apart);
    RUN(test_one_that_is_none);
    RUN(test_threads);
    return check_failures != 0;
}
