/*
 * test_go_writer.c - tests src/trace/write/go_writer.c: decodes the bytes, and
 * checks that a long trace is split into generations. tests/cli/trace passes
 * traces to Go's tool.
 */
#include <stdlib.h>

#include "check.h"
#include "trace_fixture.h"

#include "base/out.h"
#include "trace/stacks.h"
#include "trace/step.h"

struct reader {
    const unsigned char *at, *end;
};

static uint64_t number(struct reader *r)
{
    uint64_t value = 0;

    for (unsigned shift = 0; r->at < r->end; shift += 7) {
        value |= (uint64_t)(*r->at & 0x7f) << shift;
        if (*r->at++ < 0x80)
            break;
    }
    return value;
}

/* Number of arguments after the time, without strings and stacks. */
static const struct {
    const char *name;
    int n_args;
} events[50] = {
    [8] = { "frequency", 0 },  [10] = { "proc-start", 2 },
    [11] = { "proc-stop", 0 }, [13] = { "proc-status", 2 },
    [14] = { "create", 3 },    [16] = { "start", 2 },
    [17] = { "destroy", 0 },   [19] = { "stop", 2 },
    [20] = { "block", 2 },     [21] = { "unblock", 3 },
    [22] = { "syscall", 2 },   [23] = { "/syscall", 0 },
    [25] = { "status", 3 },    [39] = { "label", 1 },
    [42] = { "region", 3 },    [43] = { "/region", 3 },
    [44] = { "log", 4 },
};

/* Writes one line for an event: time, name, arguments. */
static void tell_event(struct reader *r, uint64_t *time, struct cp_out *out)
{
    int type = *r->at++;

    if (!CHECK(type < 50 && events[type].name)) {
        r->at = r->end;
        return;
    }
    *time += number(r);
    cp_out_printf(out, "  %llu %s", (unsigned long long)*time,
                  events[type].name);
    for (int i = 0; i < events[type].n_args; i++)
        cp_out_printf(out, " %lld", (long long)number(r));
    cp_out_char(out, '\n');
}

static void tell_stacks(struct reader *r, struct cp_out *out)
{
    while (r->at < r->end && *r->at++ == 3) {
        uint64_t id = number(r), n = number(r);

        cp_out_printf(out, "  stack %llu:", (unsigned long long)id);
        for (uint64_t i = 0; i < 4 * n; i++)
            cp_out_printf(out, i % 4 ? " %llu" : " %llx",
                          (unsigned long long)number(r));
        cp_out_char(out, '\n');
    }
}

static void tell_strings(struct reader *r, struct cp_out *out)
{
    while (r->at < r->end && *r->at++ == 5) {
        uint64_t id = number(r), n = number(r);

        cp_out_printf(out, "  %llu=", (unsigned long long)id);
        cp_out_bytes(out, (const char *)r->at, n);
        r->at += n;
        cp_out_char(out, '\n');
    }
}

static void tell_samples(struct reader *r, struct cp_out *out)
{
    while (r->at < r->end && *r->at++ == 7) {
        cp_out_cstr(out, "  sample");
        for (int i = 0; i < 5; i++)
            cp_out_printf(out, " %llu", (unsigned long long)number(r));
        cp_out_char(out, '\n');
    }
}

/* Reads a batch; returns its generation. */
static uint64_t tell_batch(struct reader *r, struct cp_out *out)
{
    struct reader data;
    uint64_t generation, m, time, len;

    CHECK_INT(*r->at, 1);
    r->at++;
    generation = number(r);
    m = number(r);
    time = number(r);
    len = number(r);
    CHECK(len <= 65536 && len <= (uint64_t)(r->end - r->at));
    data = (struct reader){ r->at, r->at + len };
    r->at += len;
    cp_out_printf(out, "generation %llu M %lld\n",
                  (unsigned long long)generation, (long long)m);
    if (*data.at == 8)
        cp_out_printf(out, "  frequency\n");
    else if (*data.at == 2 && data.at++)
        tell_stacks(&data, out);
    else if (*data.at == 4 && data.at++)
        tell_strings(&data, out);
    else if (*data.at == 6 && data.at++)
        tell_samples(&data, out);
    else
        while (data.at < data.end)
            tell_event(&data, &time, out);
    return generation;
}

static struct reader open_trace(const struct cp_out *bytes)
{
    struct reader r = { (const unsigned char *)bytes->buf,
                        (const unsigned char *)bytes->buf + bytes->len };

    CHECK(bytes->len > 16 && memcmp(r.at, "go 1.22 trace\0\0\0", 16) == 0);
    r.at += 16;
    return r;
}

static void tell_all(const struct cp_out *bytes, struct cp_out *text)
{
    struct reader r = open_trace(bytes);

    while (r.at < r.end)
        (void)tell_batch(&r, text);
    cp_out_char(text, '\0');
}

static void test_short_trace(void)
{
    static const char want[] =
        "generation 1 M 2\n"
        "  3000 proc-status 2 2\n  3000 proc-start 2 1\n  3000 start 2 1\n"
        "  4000 block 2 3\n  6000 start 2 3\n  9500 destroy\n"
        "  9500 proc-stop\n"
        "generation 1 M 4194304\n"
        "  1000 proc-status 0 1\n  1000 status 4194304 4194304 2\n"
        "  9000 log 0 5 6 0\n"
        "generation 1 M 1\n"
        "  1000 proc-status 1 1\n  1000 status 1 1 2\n  1000 label 1\n"
        "  2000 create 2 2 1\n  4500 region 0 3 0\n  5000 unblock 2 2 1\n"
        "  7000 syscall 1 0\n  8000 /syscall\n  8100 stop 4 0\n"
        "  8200 start 1 1\n  8300 /region 0 3 0\n  9900 block 7 0\n"
        "generation 1 M -1\n  sample 6500 2 2 2 2\n"
        "generation 1 M -1\n"
        "  stack 2: 200 8 9 2 1000 10 0 9\n"
        "  stack 1: 100 8 9 1 1000 10 0 9\n"
        "  stack 3: 300 8 9 3 1000 10 0 9\n"
        "generation 1 M -1\n"
        "  1=one\n  2=sync.mutex\n  3=re\ngion\n  4=preempted\n"
        "  5=category\n  6=mess\xff\n  7=sleep\n  8=leaf\n  9=a.c\n"
        "  10=ro\"ot\n"
        "generation 1 M -1\n  frequency\n";
    struct cp_out bytes = { .fd = -1 }, text = { .fd = -1 };

    fixture_write(&cp_trace_go, &bytes);
    tell_all(&bytes, &text);
    CHECK_STR(text.buf, want);
    cp_out_release(&bytes);
    cp_out_release(&text);
}

/* Thread 1 waits while a generation ends; thread 2 does the rest. */
static void write_long(struct cp_out *bytes)
{
    const struct cp_trace_format *f = &cp_trace_go;
    void *w = f->open(&fixture_head, bytes, NULL);
    struct cp_trace_stacks stacks = { 0 };
    size_t n;

    fixture_stacks(&stacks);
    f->step(w, &(struct cp_step){ 1000, 1000, CP_STEP_KNOWN, .tid = 1 });
    f->step(w, &(struct cp_step){ 1000, 1000, CP_STEP_KNOWN, .tid = 2 });
    f->step(w, &(struct cp_step){ 1000, 1000, CP_STEP_BLOCK, .tid = 1,
                                  .stack = 1, .text = fixture_str("sleep") });
    for (uint64_t now = 2000; now < 1500000; now++) {
        f->step(w, &(struct cp_step){ now, now, CP_STEP_CALL, .tid = 2,
                                      .stack = 2 });
        f->step(w, &(struct cp_step){ now, now, CP_STEP_RETURN, .tid = 2 });
        if (now % 10000 == 0) {
            (void)f->wanted(w, false, &n);
            f->flush(w, &stacks, false);
        }
    }
    f->step(w,
            &(struct cp_step){ 1500001, 1500001, CP_STEP_UNBLOCK, .tid = 1 });
    f->step(w, &(struct cp_step){ 1500002, 1500002, CP_STEP_RESUME, .tid = 1 });
    f->flush(w, &stacks, true);
    f->free(w);
    cp_trace_stacks_release(&stacks);
}

/* Inlined functions share one address but get different pcs. */
static void test_inlined(void)
{
    static const char *const names[] = { "inner", "middle", "outer" };
    const struct cp_trace_format *f = &cp_trace_go;
    struct cp_out bytes = { .fd = -1 }, text = { .fd = -1 };
    struct cp_trace_stacks stacks = { 0 };
    void *w = f->open(&fixture_head, &bytes, NULL);
    size_t n;

    fixture_stacks(&stacks);
    for (uint32_t i = 0; i < 4; i++) {
        struct cp_trace_frame frame = { .pc = i < 3 ? 0x4000 : 0x5000 };

        frame.function =
            cp_trace_stacks_str(&stacks, names[i % 3], strlen(names[i % 3]));
        (void)cp_trace_stacks_push(&stacks, 4, frame, NULL);
    }
    f->step(w, &(struct cp_step){ 1000, 1000, CP_STEP_KNOWN, .tid = 1 });
    f->step(w, &(struct cp_step){ 1000, 1000, CP_STEP_BLOCK, .tid = 1,
                                  .stack = 4, .text = fixture_str("sleep") });
    (void)f->wanted(w, true, &n);
    f->flush(w, &stacks, true);
    f->free(w);
    tell_all(&bytes, &text);
    CHECK(strstr(text.buf, "stack 4: 4000 "));
    CHECK(strstr(text.buf, " 1000000004000 "));
    CHECK(strstr(text.buf, " 2000000004000 "));
    CHECK(strstr(text.buf, " 5000 "));
    cp_out_release(&text);
    cp_out_release(&bytes);
    cp_trace_stacks_release(&stacks);
}

static void test_generations(void)
{
    struct cp_out bytes = { .fd = -1 }, text = { .fd = -1 };
    uint64_t generation = 1;
    size_t n_waiting = 0, n_stacks = 0;
    struct reader r;

    write_long(&bytes);
    r = open_trace(&bytes);
    while (r.at < r.end) {
        uint64_t now;

        text.len = 0;
        now = tell_batch(&r, &text);
        CHECK(now == generation || now == generation + 1);
        generation = now;
        cp_out_char(&text, '\0');
        n_waiting += strstr(text.buf, " status 1 -1 4\n") != NULL;
        n_stacks += strstr(text.buf, "  stack 2:") != NULL;
    }
    CHECK(generation >= 2 && generation <= 6);
    CHECK_INT(n_waiting, generation - 1);
    CHECK_INT(n_stacks, generation);
    cp_out_release(&bytes);
    cp_out_release(&text);
}

/* A thread known later, or again, needs a creation event. */
static void test_met_late(void)
{
    static const struct cp_step steps[] = {
        { 1000, 1000, CP_STEP_KNOWN, .tid = CP_TRACE_RECORDER },
        { 1000, 1000, CP_STEP_KNOWN, .tid = 1 },
        { 2000, 2000, CP_STEP_END, .tid = 1 },
        { 3000, 3000, CP_STEP_KNOWN, .tid = 1 },
        { 3000000000, 3000000000, CP_STEP_STOP, .tid = 1 },
        { 3000000001, 3000000001, CP_STEP_KNOWN, .tid = 5 },
    };
    const struct cp_trace_format *f = &cp_trace_go;
    struct cp_out bytes = { .fd = -1 }, text = { .fd = -1 };
    struct cp_trace_stacks stacks = { 0 };
    void *w = f->open(&fixture_head, &bytes, NULL);

    fixture_stacks(&stacks);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        f->step(w, &steps[i]);
        if (steps[i].kind == CP_STEP_STOP)
            f->flush(w, &stacks, false);
    }
    f->flush(w, &stacks, true);
    f->free(w);
    tell_all(&bytes, &text);
    CHECK(strstr(text.buf, "  1000 status 1 1 2\n"));
    CHECK(strstr(text.buf, "  3000 create 1 0 0\n"));
    CHECK(strstr(text.buf, "  3000 proc-start 1 1\n  3000 start 1 1\n"));
    CHECK(!strstr(text.buf, "  3000 status 1 "));
    CHECK(strstr(text.buf, "  3000000001 create 5 0 0\n"));
    CHECK(!strstr(text.buf, " status 5 "));
    cp_out_release(&bytes);
    cp_out_release(&text);
    cp_trace_stacks_release(&stacks);
}

int main(void)
{
    RUN(test_short_trace);
    RUN(test_generations);
    RUN(test_inlined);
    RUN(test_met_late);
    return check_failures != 0;
}
