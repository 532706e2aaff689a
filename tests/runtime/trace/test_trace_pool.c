/*
 * test_trace_pool - the reader returns each event of the session once and in
 * order, frees finished buffers, and never touches a buffer that is owned by a
 * thread of another session.
 */
#include "runtime/trace/trace_pool.h"
#include "signal/trace/trace.h"

#include "check.h"

#define MAX_TAKEN 64
#define SESSION 7

static struct {
    size_t n;
    uint64_t args[MAX_TAKEN];
    int32_t tids[MAX_TAKEN];
    char text[64]; /* payload of the last event that has one */
} taken;

static void take(void *context, int32_t tid, const struct cp_trace_event *e)
{
    (void)context;
    if (!CHECK(taken.n < MAX_TAKEN))
        return;
    taken.args[taken.n] = e->arg;
    taken.tids[taken.n++] = tid;
    if (e->more && e->more < sizeof(taken.text))
        memcpy(taken.text, e + 1, e->more);
}

static size_t read_all(void)
{
    memset(&taken, 0, sizeof(taken));
    cp_trace_pool_read(take, NULL);
    return taken.n;
}

static bool is_free(size_t i)
{
    return atomic_load(&cp_trace.free[i / 64]) >> (i % 64) & 1;
}

/* Acquires buffer i as a thread does. */
static struct cp_trace_buffer *claim(size_t i, uint32_t session, uint64_t order)
{
    struct cp_trace_buffer *b = &cp_trace.buffers[i];

    CHECK(is_free(i));
    atomic_fetch_and(&cp_trace.free[i / 64], ~((uint64_t)1 << (i % 64)));
    b->session = session;
    b->tid = (int32_t)(100 + i);
    b->order = order;
    b->n_read = 0;
    atomic_store(&b->n, 0);
    atomic_store(&b->state, CP_TRACE_OWNED);
    return b;
}

static void emit(struct cp_trace_buffer *b, uint64_t arg, const char *text)
{
    struct cp_trace_event e = { .arg = arg, .kind = CP_TRACE_LOG };
    uint32_t at = atomic_load(&b->n);

    e.more = (uint16_t)strlen(text);
    b->events[at] = e;
    memcpy(&b->events[at + 1], text, e.more);
    atomic_store(&b->n, at + cp_trace_slots(&e));
}

/* Frees all buffers; what a session would have left behind. */
static void reset(void)
{
    for (size_t i = 0; i < CP_TRACE_BUFFERS; i++)
        if (!is_free(i))
            cp_trace_free_buffer(&cp_trace.buffers[i]);
    atomic_store(&cp_trace.session, SESSION);
}

static void test_order(void)
{
    struct cp_trace_buffer *late = claim(3, SESSION, 20);
    struct cp_trace_buffer *early = claim(700, SESSION, 10);

    emit(late, 3, "");
    emit(early, 1, "a payload that is longer than one event of 32 bytes");
    emit(early, 2, "");
    CHECK_INT(read_all(), 3);
    CHECK(taken.args[0] == 1 && taken.args[1] == 2 && taken.args[2] == 3);
    CHECK(taken.tids[0] == 800 && taken.tids[2] == 103);
    CHECK_STR(taken.text,
              "a payload that is longer than one event of 32 bytes");
    CHECK_INT(read_all(), 0);
    emit(late, 4, "");
    CHECK_INT(read_all(), 1);
    CHECK(taken.args[0] == 4);
    CHECK(!is_free(3) && !is_free(700)); /* their threads own them */
}

static void test_full_buffer(void)
{
    struct cp_trace_buffer *b = claim(0, SESSION, 1);

    for (uint64_t i = 0; i < CP_TRACE_BUFFER_EVENTS; i++)
        emit(b, i, "");
    memset(&taken, 0, sizeof(taken));
    for (uint32_t n = 32; n < CP_TRACE_BUFFER_EVENTS; n += 32) {
        atomic_store(&b->n, n); /* the writer has come so far */
        CHECK_INT(read_all(), 32);
        CHECK(taken.args[31] == n - 1);
    }
    atomic_store(&b->n, CP_TRACE_BUFFER_EVENTS);
    CHECK_INT(read_all(), CP_TRACE_BUFFER_EVENTS % 32);
}

static void test_done(void)
{
    struct cp_trace_buffer *b = claim(5, SESSION, 1);

    emit(b, 1, "");
    atomic_store(&b->state, CP_TRACE_DONE);
    CHECK_INT(read_all(), 1);
    CHECK(is_free(5));
    CHECK(atomic_load(&b->state) == CP_TRACE_FREE);
}

/* Buffers of an older session: not read, and freed once they are done. */
static void test_old_session(void)
{
    struct cp_trace_buffer *owned = claim(1, SESSION - 2, 1);
    struct cp_trace_buffer *done = claim(2, SESSION - 2, 2);

    emit(owned, 1, "");
    emit(done, 2, "");
    atomic_store(&done->state, CP_TRACE_DONE);
    CHECK_INT(read_all(), 0);
    CHECK(!is_free(1) && is_free(2));
}

/* A thread has claimed the bit but has not initialized the buffer yet. */
static void test_being_claimed(void)
{
    struct cp_trace_buffer *b = claim(4, SESSION, 1);

    emit(b, 1, "");
    atomic_store(&b->state, CP_TRACE_FREE);
    CHECK_INT(read_all(), 0);
    CHECK(!is_free(4));
    atomic_store(&b->state, CP_TRACE_OWNED);
    CHECK_INT(read_all(), 1);
}

/* The last events are read after the session number has become even. */
static void test_after_stop(void)
{
    struct cp_trace_buffer *b = claim(6, SESSION, 1);

    emit(b, 1, "");
    atomic_store(&cp_trace.session, SESSION - 1);
    CHECK_INT(read_all(), 1);
}

static void test_clear(void)
{
    struct cp_trace_buffer *done = claim(9, SESSION, 2);
    struct cp_trace_buffer *acquiring = claim(10, SESSION, 3);

    (void)claim(8, SESSION, 1);
    atomic_store(&done->state, CP_TRACE_DONE);
    /* A thread has claimed the buffer and not set its state yet. */
    atomic_store(&acquiring->state, CP_TRACE_FREE);
    CHECK_INT(cp_trace_pool_bytes(), 3 * sizeof(*done));
    cp_trace_pool_clear();
    CHECK(!is_free(8) && is_free(9) && !is_free(10));
    CHECK_INT(cp_trace_pool_bytes(), 2 * sizeof(*done));
    atomic_store(&acquiring->state, CP_TRACE_DONE);
    cp_trace_pool_clear();
    CHECK(is_free(10));
}

/* Trimming zeroes free buffers and keeps the others. */
static void test_trim(void)
{
    struct cp_trace_buffer *kept = claim(10, SESSION, 1);
    struct cp_trace_buffer *last = claim(CP_TRACE_BUFFERS - 1, SESSION, 2);

    emit(kept, 1, "");
    emit(last, 2, "");
    cp_trace.buffers[9].order = cp_trace.buffers[11].order = 99;
    cp_trace_pool_trim();
    CHECK_INT(cp_trace.buffers[9].order, 0);
    CHECK_INT(cp_trace.buffers[11].order, 0);
    CHECK_INT(read_all(), 2);
}

/* Two buffers for each thread; the pool never shrinks, and has a maximum. */
static void test_grow(void)
{
    uint32_t n = CP_TRACE_BUFFERS / 64;

    CHECK_INT(atomic_load(&cp_trace.n_words), n);
    cp_trace_pool_grow(64);
    CHECK_INT(atomic_load(&cp_trace.n_words), n + 2);
    CHECK(is_free(CP_TRACE_BUFFERS));
    cp_trace_pool_grow(0);
    CHECK_INT(atomic_load(&cp_trace.n_words), n + 2);
    cp_trace_pool_grow(1000000);
    CHECK_INT(atomic_load(&cp_trace.n_words), CP_TRACE_MAX_BUFFERS / 64);
}

int main(void)
{
    if (cp_trace_pool_map(NULL) != CP_OK) {
        puts("no memory");
        return 77;
    }
    CHECK(cp_trace_pool_map(NULL) == CP_OK);
    reset();
    RUN(test_order);
    reset();
    RUN(test_full_buffer);
    reset();
    RUN(test_done);
    reset();
    RUN(test_old_session);
    reset();
    RUN(test_being_claimed);
    reset();
    RUN(test_after_stop);
    reset();
    RUN(test_clear);
    reset();
    RUN(test_trim);
    reset();
    RUN(test_grow);
    return check_failures != 0;
}
