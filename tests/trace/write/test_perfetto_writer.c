/*
 * test_perfetto_writer.c - tests src/trace/write/perfetto_writer.c: decodes the
 * packets of the short trace. Names precede their use, and slices end.
 */

#include "check.h"
#include "trace_fixture.h"

#include "base/out.h"
#include "trace/step.h"

struct message {
    const unsigned char *at, *end;
};

struct field {
    uint64_t number, value;
    struct message inner;
};

static uint64_t varint(struct message *m)
{
    uint64_t value = 0;

    for (unsigned shift = 0; m->at < m->end; shift += 7) {
        value |= (uint64_t)(*m->at & 0x7f) << shift;
        if (*m->at++ < 0x80)
            break;
    }
    return value;
}

static int next(struct message *m, struct field *f)
{
    uint64_t key;

    if (m->at >= m->end)
        return 0;
    key = varint(m);
    *f = (struct field){ .number = key >> 3 };
    if ((key & 7) == 1) {
        memcpy(&f->value, m->at, 8);
        m->at += 8;
        return 1;
    }
    CHECK((key & 7) == 0 || (key & 7) == 2);
    f->value = varint(m);
    if ((key & 7) == 2) {
        CHECK(f->value <= (uint64_t)(m->end - m->at));
        f->inner = (struct message){ m->at, m->at + f->value };
        m->at += f->value;
    }
    return 1;
}

struct names {
    char events[16][32];
    int has_stack[16];
};

/* InternedData: names of events (2) and call stacks (7). */
static void learn(struct names *n, struct message m)
{
    struct field f, g;

    while (next(&m, &f)) {
        uint64_t iid = 0, len = 0;
        const char *text = "";

        while (next(&f.inner, &g)) {
            if (g.number == 1)
                iid = g.value;
            else if (g.inner.at && (text = (const char *)g.inner.at))
                len = g.value;
        }
        if (f.number == 2 && CHECK(iid < 16 && len < 32))
            memcpy(n->events[iid], text, len);
        else if (f.number == 7 && CHECK(iid < 16))
            n->has_stack[iid] = 1;
    }
}

static void tell_event(const struct names *n, struct message m, uint64_t time,
                       struct cp_out *out)
{
    static const char *const types[] = { "?", "begin", "end", "instant" };
    struct field f;

    cp_out_printf(out, "%llu", (unsigned long long)time);
    while (next(&m, &f)) {
        if (f.number == 9)
            cp_out_printf(out, " %s", types[f.value & 3]);
        else if (f.number == 11)
            cp_out_printf(out, " %llx", (unsigned long long)f.value);
        else if (f.number == 10 && CHECK(f.value < 16))
            cp_out_printf(out, " %s", n->events[f.value]);
        else if (f.number == 56 && CHECK(n->has_stack[f.value & 15]))
            cp_out_printf(out, " @%llu", (unsigned long long)f.value);
        else if (f.number == 47 || f.number == 48)
            cp_out_printf(out, " %s%llu", f.number == 47 ? ">" : "<",
                          (unsigned long long)f.value);
    }
    cp_out_char(out, '\n');
}

static void tell_packet(struct names *n, struct message m, struct cp_out *out)
{
    struct field f;
    uint64_t time = 0;

    while (next(&m, &f)) {
        if (f.number == 8)
            time = f.value;
        else if (f.number == 12)
            learn(n, f.inner);
        else if (f.number == 11)
            tell_event(n, f.inner, time, out);
    }
}

static void test_short_trace(void)
{
    static const char want[] = "5001000 begin 400001 running\n"
                               "5001000 begin 2 running\n"
                               "5002000 begin 3 runnable @1\n"
                               "5003000 end 3\n5003000 begin 3 running\n"
                               "5004000 end 3\n5004000 begin 3 sync.mutex @3\n"
                               "5004500 begin 100000002 re\ngion\n"
                               "5005000 end 3\n5005000 instant 2 wakes @1 >1\n"
                               "5005000 begin 3 runnable\n"
                               "5006000 end 3\n5006000 begin 3 running <1\n"
                               "5006500 instant 3 cpu sample @2\n"
                               "5007000 end 2\n5007000 begin 2 read\n"
                               "5008000 end 2\n5008000 begin 2 running\n"
                               "5008100 end 2\n5008100 begin 2 runnable\n"
                               "5008200 end 2\n5008200 begin 2 running\n"
                               "5008300 end 100000002\n"
                               "5009000 instant 400001 category\n"
                               "5009500 end 3\n"
                               "5009900 end 2\n5009900 begin 2 sleep\n";
    struct cp_out bytes = { .fd = -1 }, text = { .fd = -1 };
    struct names names = { 0 };
    struct message all;
    struct field f;

    fixture_write(&cp_trace_perfetto, &bytes);
    all = (struct message){ (const unsigned char *)bytes.buf,
                            (const unsigned char *)bytes.buf + bytes.len };
    while (next(&all, &f) && CHECK_INT(f.number, 1))
        tell_packet(&names, f.inner, &text);
    cp_out_char(&text, '\0');
    CHECK_STR(text.buf, want);
    cp_out_release(&bytes);
    cp_out_release(&text);
}

int main(void)
{
    RUN(test_short_trace);
    return check_failures != 0;
}
