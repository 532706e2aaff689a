/*
 * test_model.c - tests src/trace/model: events of threads become consistent
 * steps.
 */
#include "base/out.h"
#include "trace/model/model.h"
#include "trace/step.h"

#include <stdlib.h>

#include "check.h"

#define MUTEX 1
#define SLEEP 2
#define READ 3
#define POLL 4
#define US 1000

static const struct cp_trace_call calls[] = {
    [0] = { "?", "?", CP_CLASS_CALL, 0 },
    [MUTEX] = { "lock", "sync.mutex", CP_CLASS_SYNC, 0 },
    [SLEEP] = { "sleep", "sleep", CP_CLASS_SLEEP, 0 },
    [READ] = { "read", "syscall", CP_CLASS_CALL, 1 },
    [POLL] = { "poll", "network", CP_CLASS_NETWORK, 0 },
};

/* A format that writes one line per step: time in us, thread, step. */
static void write_step(void *writer, const struct cp_step *s)
{
    static const char *const names[] = {
        "known",   "create", "begin",   "end",  "block",
        "unblock", "stop",   "resume",  "call", "return",
        "name",    "region", "/region", "log",  "sample",
    };
    struct cp_out *out = writer;

    cp_out_printf(out, "%llu %d %s", (unsigned long long)s->time_ns / US,
                  (int)s->tid, names[s->kind]);
    if (s->other)
        cp_out_printf(out, " by %d", (int)s->other);
    if (s->stack)
        cp_out_printf(out, " @%u", s->stack);
    if (s->text.len)
        cp_out_printf(out, " %.*s", (int)s->text.len, s->text.ptr);
    if (s->more.len)
        cp_out_printf(out, ": %.*s", (int)s->more.len, s->more.ptr);
    cp_out_char(out, '\n');
}

static const struct cp_trace_format lines = { .step = write_step };

static void account(void *context, int32_t tid, const char *end,
                    struct cp_trace_account *out)
{
    (void)context;
    (void)tid;
    out->has_times = true;
    out->user_ns = end ? 7 : 8;
    (void)snprintf(out->name, sizeof(out->name), "a b=%%");
}

struct story {
    struct cp_trace_model *model;
};

static void add(struct story *s, struct cp_trace_input in)
{
    in.time_ns *= US;
    in.begin_ns *= US;
    if (in.text && !in.len)
        in.len = (uint32_t)strlen(in.text);
    cp_trace_model_add(s->model, &in);
}

/* Compares the output and frees the model. */
static void expect(struct story *s, struct cp_out *out, const char *want)
{
    cp_out_char(out, '\0');
    CHECK_STR(out->buf, want);
    cp_out_release(out);
    cp_trace_model_free(s->model);
}

/* One trace in each case. */
#define STORY                                                                  \
    struct cp_out out = { .fd = -1 };                                          \
    struct cp_trace_model_options options = { .format = &lines,                \
                                              .writer = &out,                  \
                                              .calls = calls,                  \
                                              .n_calls = 5,                    \
                                              .account = account };            \
    struct story story = { cp_trace_model_new(&options, 0, NULL) };            \
                                                                               \
    out.len = 0 /* drops the steps of the recorder */

#define ADD(what, ...)                                                         \
    add(&story, (struct cp_trace_input){ .kind = CP_INPUT_##what, __VA_ARGS__ })

static void know(struct story *s, int32_t tid)
{
    add(s, (struct cp_trace_input){
               .kind = CP_INPUT_KNOWN, .tid = tid, .text = "t" });
}

static void test_lock_and_waker(void)
{
    STORY;
    know(&story, 1);
    know(&story, 2);
    /* Input in the order of buffers, not of time. */
    ADD(WAIT, .tid = 1, .begin_ns = 10, .time_ns = 50, .call = MUTEX,
        .arg = 0xabc, .stack = 5);
    ADD(WAKE, .tid = 2, .time_ns = 20, .arg = 0xabc, .stack = 6);
    ADD(WAKE, .tid = 2, .time_ns = 40, .arg = 0xabc, .stack = 7);
    ADD(WAKE, .tid = 2, .time_ns = 45, .arg = 0xdef);
    cp_trace_model_flush(story.model, 100 * US);
    expect(&story, &out,
           "0 1 known\n0 1 name t\n0 2 known\n0 2 name t\n"
           "10 1 block @5 sync.mutex\n40 1 unblock by 2 @7\n50 1 resume\n");
}

static void test_kinds_of_calls(void)
{
    STORY;
    know(&story, 1);
    ADD(WAIT, .tid = 1, .begin_ns = 10, .time_ns = 900, .call = READ, .arg = 4);
    ADD(WAIT, .tid = 1, .begin_ns = 1000, .time_ns = 1010, .call = POLL,
        .arg = (uint64_t)-1);
    ADD(WAIT, .tid = 1, .begin_ns = 1020, .time_ns = 2000, .call = POLL);
    cp_trace_model_finish(story.model, 3000 * US);
    expect(&story, &out,
           "0 1 known\n0 1 name t\n10 1 call read\n900 1 return\n"
           "1000 1 call poll\n1010 1 return\n1020 1 block network\n"
           "2000 1 unblock\n2000 1 resume\n3000 1 name a b=%\n"
           "3000 4194304 log cpprof.thread: tid=1 name=a%20b%3d%25 start_ns=0 "
           "end_ns=3000000 user_ns=8 sys_ns=0 wait_ns=0 io_ns=1880000 "
           "syscalls=3 errors=1 blocks=0 read_bytes=4 write_bytes=0\n");
}

/* The end of a thread wakes its joiner. */
static void test_life_of_a_thread(void)
{
    STORY;
    know(&story, 1);
    ADD(START, .tid = 9, .time_ns = 30, .arg = 0x70, .stack = 3);
    ADD(END, .tid = 9, .time_ns = 80, .arg = 0x71, .text = "x");
    ADD(CREATE, .tid = 1, .time_ns = 20, .arg = 0x70, .stack = 4);
    ADD(WAIT, .tid = 1, .begin_ns = 40, .time_ns = 90, .call = MUTEX,
        .arg = 0x71);
    cp_trace_model_flush(story.model, 100 * US);
    expect(&story, &out,
           "0 1 known\n0 1 name t\n20 9 create by 1 @4\n30 9 begin\n"
           "40 1 block sync.mutex\n79 1 unblock by 9\n80 9 name a b=%\n"
           "80 9 end\n"
           "80 4194304 log cpprof.thread: tid=9 name=a%20b%3d%25 "
           "start_ns=20000 end_ns=80000 user_ns=7 sys_ns=0 wait_ns=0 io_ns=0 "
           "syscalls=0 errors=0 blocks=0 read_bytes=0 write_bytes=0\n"
           "90 1 resume\n");
}

static void test_switches(void)
{
    STORY;
    know(&story, 1);
    ADD(PREEMPT, .tid = 1, .time_ns = 5);
    ADD(IN, .tid = 1, .time_ns = 6);
    ADD(OUT, .tid = 1, .time_ns = 7);
    ADD(IN, .tid = 1, .time_ns = 8);
    ADD(WAIT, .tid = 1, .begin_ns = 10, .time_ns = 20, .call = SLEEP);
    ADD(OUT, .tid = 1, .time_ns = 11);
    ADD(IN, .tid = 1, .time_ns = 19);
    ADD(IN, .tid = 77, .time_ns = 19);
    cp_trace_model_flush(story.model, 100 * US);
    expect(&story, &out,
           "0 1 known\n0 1 name t\n5 1 stop preempted\n6 1 resume\n"
           "7 1 block kernel\n8 1 unblock\n8 1 resume\n10 1 block sleep\n"
           "20 1 unblock\n20 1 resume\n");
}

/* A signal handler reads while the thread waits for a lock. */
static void test_wait_in_a_wait(void)
{
    STORY;
    know(&story, 1);
    ADD(WAIT, .tid = 1, .begin_ns = 20, .time_ns = 50, .call = READ);
    ADD(WAIT, .tid = 1, .begin_ns = 10, .time_ns = 60, .call = MUTEX,
        .stack = 2);
    cp_trace_model_flush(story.model, 100 * US);
    expect(&story, &out,
           "0 1 known\n0 1 name t\n10 1 block @2 sync.mutex\n20 1 unblock\n"
           "20 1 resume\n20 1 call read\n50 1 return\n"
           "50 1 block @2 sync.mutex\n60 1 unblock\n60 1 resume\n");
}

/* A wait that is reported before its end is not reported again. */
static void test_wait_in_progress(void)
{
    struct cp_trace_input wait = {
        .tid = 1, .begin_ns = 10 * US, .call = MUTEX, .stack = 2
    };

    STORY;
    know(&story, 1);
    cp_trace_model_flush(story.model, 40 * US);
    CHECK(cp_trace_model_lacks_wait(story.model, 1, 10 * US));
    cp_trace_model_report_wait(story.model, &wait, 40 * US);
    CHECK(!cp_trace_model_lacks_wait(story.model, 1, 10 * US));
    CHECK(!cp_trace_model_lacks_wait(story.model, 2, 10 * US));
    ADD(WAIT, .tid = 1, .begin_ns = 10, .time_ns = 60, .call = MUTEX,
        .stack = 2);
    cp_trace_model_flush(story.model, 100 * US);
    expect(&story, &out,
           "0 1 known\n0 1 name t\n10 1 block @2 sync.mutex\n60 1 unblock\n"
           "60 1 resume\n");
}

static void test_regions_and_sleepers(void)
{
    STORY;
    know(&story, 1);
    ADD(ASLEEP, .tid = 1, .stack = 8, .text = "network");
    ADD(REGION_END, .tid = 1, .time_ns = 5, .text = "before");
    ADD(REGION_BEGIN, .tid = 1, .time_ns = 10, .text = "outer");
    ADD(REGION_END, .tid = 1, .time_ns = 11, .text = "other");
    ADD(LOG, .tid = 1, .time_ns = 12, .text = "a\0b", .len = 3);
    ADD(REGION_END, .tid = 1, .time_ns = 13, .text = "outer");
    ADD(SAMPLE, .tid = 1, .time_ns = 14, .stack = 9);
    cp_trace_model_flush(story.model, 100 * US);
    expect(&story, &out,
           "0 1 known\n0 1 name t\n0 1 block @8 network\n10 1 unblock\n"
           "10 1 resume\n10 1 region outer\n12 1 log a: b\n"
           "13 1 /region outer\n14 1 sample @9\n");
}

/*
 * A page fault is reported where it happens; inside a call it is part of the
 * call.
 */
static void test_faults(void)
{
    STORY;
    know(&story, 1);
    ADD(FAULT, .tid = 1, .time_ns = 5, .stack = 3, .text = "f\0n=1", .len = 5);
    ADD(WAIT, .tid = 1, .begin_ns = 10, .time_ns = 60, .call = SLEEP);
    ADD(FAULT, .tid = 1, .time_ns = 20, .text = "f\0n=2", .len = 5);
    ADD(FAULT, .tid = 2, .time_ns = 30, .text = "f\0n=3", .len = 5);
    cp_trace_model_flush(story.model, 100 * US);
    CHECK_INT(cp_trace_model_lost(story.model), 0);
    expect(&story, &out,
           "0 1 known\n0 1 name t\n5 1 log @3 f: n=1\n"
           "10 1 block sleep\n60 1 unblock\n60 1 resume\n");
}

/* Events after the time of the flush stay for the next flush. */
static void test_horizon(void)
{
    STORY;
    know(&story, 1);
    ADD(WAIT, .tid = 1, .begin_ns = 10, .time_ns = 60, .call = SLEEP);
    cp_trace_model_flush(story.model, 50 * US);
    out.len = 0;
    cp_trace_model_flush(story.model, 59 * US);
    CHECK_INT(out.len, 0);
    cp_trace_model_flush(story.model, 60 * US);
    expect(&story, &out, "60 1 unblock\n60 1 resume\n");
}

/* The creator or waker of a thread may be read after the thread itself. */
static void test_late_reading(void)
{
    STORY;
    know(&story, 1);
    know(&story, 2);
    ADD(START, .tid = 9, .time_ns = 70, .arg = 0x70, .stack = 3);
    ADD(WAIT, .tid = 2, .begin_ns = 55, .time_ns = 75, .call = MUTEX,
        .arg = 0xabc, .stack = 5);
    cp_trace_model_flush(story.model, 50 * US);
    out.len = 0;
    ADD(CREATE, .tid = 1, .time_ns = 60, .arg = 0x70, .stack = 4);
    ADD(CREATE, .tid = 2, .time_ns = 51, .arg = 0x70); /* failed */
    ADD(WAKE, .tid = 1, .time_ns = 65, .arg = 0xabc, .stack = 7);
    cp_trace_model_flush(story.model, 100 * US);
    expect(&story, &out,
           "55 2 block @5 sync.mutex\n60 9 create by 1 @4\n"
           "65 2 unblock by 1 @7\n70 9 begin\n75 2 resume\n");
}

/* Failed creations do not displace successful ones. */
static void test_failed_creates(void)
{
    STORY;
    know(&story, 1);
    ADD(CREATE, .tid = 1, .time_ns = 10, .arg = 0x70, .stack = 4);
    for (uint64_t i = 0; i < 200000; i++) {
        ADD(CREATE, .tid = 1, .time_ns = 11, .arg = 0x80 + i % 16);
        ADD(CREATE_FAILED, .tid = 1, .time_ns = 12, .arg = 0x80 + i % 16);
    }
    cp_trace_model_flush(story.model, 20 * US);
    ADD(START, .tid = 9, .time_ns = 30, .arg = 0x70, .stack = 3);
    cp_trace_model_flush(story.model, 40 * US);
    ADD(CREATE, .tid = 1, .time_ns = 41, .arg = 0x90);
    ADD(CREATE_FAILED, .tid = 1, .time_ns = 42, .arg = 0x90);
    ADD(START, .tid = 8, .time_ns = 50,
        .arg = 0x90); /* its own creation was lost */
    cp_trace_model_flush(story.model, 60 * US);
    expect(&story, &out,
           "0 1 known\n0 1 name t\n10 9 create by 1 @4\n30 9 begin\n"
           "50 8 create\n50 8 begin\n");
}

#define MANY 40000

/* Of many notices the newer ones are found, whatever their tokens. */
static void test_many_creates(void)
{
    char want[64];

    STORY;
    know(&story, 1);
    for (uint64_t i = 0; i < MANY; i++) /* their starts are lost */
        ADD(CREATE, .tid = 1, .time_ns = 1 + i % 10, .arg = 0x900000 + i);
    cp_trace_model_flush(story.model, 15 * US);
    for (uint64_t i = 0; i < MANY; i++)
        ADD(CREATE, .tid = 1, .time_ns = 20, .arg = 0x70 + i, .stack = 4);
    for (uint64_t i = 0; i < MANY; i++)
        ADD(START, .tid = (int32_t)(10 + i), .time_ns = 30, .arg = 0x70 + i);
    out.len = 0;
    cp_trace_model_flush(story.model, 40 * US);
    cp_out_char(&out, '\0');
    for (int i = 10; i < MANY + 10; i += MANY / 8) {
        (void)snprintf(want, sizeof(want), "20 %d create by 1 @4\n", i);
        CHECK(strstr(out.buf, want) != NULL);
    }
    cp_trace_model_free(story.model);
    cp_out_release(&out);
}

/* For random input the steps of each thread are consistent. */
struct judge {
    char state[8]; /* by thread: running, blocked, woken, calling, ... */
    uint64_t last_ns[8];
    int n_bad;
    size_t n;
};

static void judge_step(void *writer, const struct cp_step *s)
{
    static const char before[] = {
        [CP_STEP_KNOWN] = 0,   [CP_STEP_CREATE] = 0,   [CP_STEP_BEGIN] = 'n',
        [CP_STEP_END] = 'r',   [CP_STEP_BLOCK] = 'r',  [CP_STEP_UNBLOCK] = 'b',
        [CP_STEP_STOP] = 'r',  [CP_STEP_RESUME] = 'w', [CP_STEP_CALL] = 'r',
        [CP_STEP_RETURN] = 'c'
    };
    static const char after[] = {
        [CP_STEP_KNOWN] = 'r', [CP_STEP_CREATE] = 'n', [CP_STEP_BEGIN] = 'r',
        [CP_STEP_END] = 0,     [CP_STEP_BLOCK] = 'b',  [CP_STEP_UNBLOCK] = 'w',
        [CP_STEP_STOP] = 'w',  [CP_STEP_RESUME] = 'r', [CP_STEP_CALL] = 'c',
        [CP_STEP_RETURN] = 'r'
    };
    struct judge *j = writer;
    int at = s->tid == CP_TRACE_RECORDER ? 0 : s->tid;

    j->n++;
    if (s->kind == CP_STEP_SAMPLE || s->kind == CP_STEP_NAME)
        return;
    if (s->kind <= CP_STEP_RETURN) {
        j->n_bad += j->state[at] != before[s->kind];
        j->state[at] = after[s->kind];
    } else {
        j->n_bad += j->state[at] != 'r';
    }
    if (s->kind == CP_STEP_KNOWN || s->kind == CP_STEP_CREATE)
        j->last_ns[at] = s->time_ns;
    j->n_bad += s->time_ns < j->last_ns[at];
    j->last_ns[at] = s->time_ns;
}

static void test_anything(void)
{
    static const struct cp_trace_format format = { .step = judge_step };
    struct judge judge = { 0 };
    struct cp_trace_model_options options = {
        .format = &format, .writer = &judge, .calls = calls, .n_calls = 5
    };
    struct cp_trace_model *m = cp_trace_model_new(&options, 0, NULL);

    srand(7);
    for (uint64_t now = 1; now < 200000; now++) {
        struct cp_trace_input in = {
            .kind =
                (enum cp_trace_input_kind)(rand() % (CP_INPUT_VANISHED + 1)),
            .time_ns = now + (uint64_t)(rand() % 50),
            .arg = (uint64_t)(rand() % 4),
            .tid = 1 + rand() % 7,
            .call = (unsigned)(rand() % 6),
            .text = "text",
            .len = (uint32_t)(rand() % 5),
        };

        in.begin_ns = in.time_ns - (uint64_t)(rand() % 20);
        if ((in.kind == CP_INPUT_END || in.kind == CP_INPUT_VANISHED) &&
            rand() % 4)
            continue;
        cp_trace_model_add(m, &in);
        if (now % 100 == 0)
            cp_trace_model_flush(m, now - 30);
    }
    cp_trace_model_finish(m, 300000);
    CHECK_INT(judge.n_bad, 0);
    CHECK(judge.n > 100000);
    cp_trace_model_free(m);
}

int main(void)
{
    RUN(test_lock_and_waker);
    RUN(test_kinds_of_calls);
    RUN(test_life_of_a_thread);
    RUN(test_switches);
    RUN(test_wait_in_a_wait);
    RUN(test_wait_in_progress);
    RUN(test_regions_and_sleepers);
    RUN(test_faults);
    RUN(test_horizon);
    RUN(test_late_reading);
    RUN(test_failed_creates);
    RUN(test_many_creates);
    RUN(test_anything);
    return check_failures != 0;
}
