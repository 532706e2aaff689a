/*
 * empty_kinds.c - builds a profile without samples for each kind that Go has,
 * with the sample types of that kind.
 */
#include "runtime/kind/empty_kinds.h"

#include <string.h>

#include "base/out.h"
#include "profile/model/build.h"
#include "runtime/kind/kind.h"

struct type {
    const char *type, *unit;
};

/* A kind with the header of its profile. */
struct spec {
    struct cp_kind kind;
    struct type types[4];
    struct type period_type;
    int64_t period;
    const char *default_type;
};

#define HEAP_TYPES                                                             \
    {                                                                          \
        { "alloc_objects", "count" }, { "alloc_space", "bytes" },              \
            { "inuse_objects", "count" },                                      \
        {                                                                      \
            "inuse_space", "bytes"                                             \
        }                                                                      \
    }

static const struct spec allocs = {
    { .name = "allocs",
      .summary = "A sampling of all past memory allocations.",
      .text = CP_KIND_TEXT_HEAP },
    HEAP_TYPES,
    { "space", "bytes" },
    524288,
    "alloc_space",
};

static const struct spec block = {
    { .name = "block",
      .summary = "Where threads wait for locks, conditions, semaphores, "
                 "barriers and other threads.",
      .text = CP_KIND_TEXT_CONTENTION },
    { { "contentions", "count" }, { "delay", "nanoseconds" } },
    { "contentions", "count" },
    1,
    NULL,
};

static const struct spec goroutine = {
    { .name = "goroutine",
      .summary = "The stacks of all threads, now. Tools made for Go know it "
                 "under this name. debug=2 prints each thread by itself.",
      .text = CP_KIND_TEXT_COUNT },
    { { "goroutine", "count" } },
    { "goroutine", "count" },
    1,
    NULL,
};

static const struct spec heap = {
    { .name = "heap",
      .summary = "A sampling of the memory that is in use. gc=1 leaves out "
                 "what nothing points to any more.",
      .text = CP_KIND_TEXT_HEAP },
    HEAP_TYPES,
    { "space", "bytes" },
    524288,
    "inuse_space",
};

static const struct spec leak = {
    { .name = "leak",
      .summary = "Memory that nothing points to any more, by where it was "
                 "allocated.",
      .text = CP_KIND_TEXT_HEAP },
    HEAP_TYPES,
    { "space", "bytes" },
    524288,
    "inuse_space",
};

static const struct spec mutex = {
    { .name = "mutex",
      .summary = "Which holders of locks made others wait, and how long.",
      .text = CP_KIND_TEXT_MUTEX },
    { { "contentions", "count" }, { "delay", "nanoseconds" } },
    { "contentions", "count" },
    1,
    NULL,
};

static const struct spec profile = {
    { .name = "profile",
      .summary = "Where CPU time is spent, for as long as seconds= says.",
      .default_seconds = 30,
      .text = CP_KIND_TEXT_NONE },
    { { "samples", "count" }, { "cpu", "nanoseconds" } },
    { "cpu", "nanoseconds" },
    10000000,
    NULL,
};

static const struct spec threadcreate = {
    { .name = "threadcreate",
      .summary = "Where threads were started.",
      .text = CP_KIND_TEXT_COUNT },
    { { "threadcreate", "count" } },
    { "threadcreate", "count" },
    1,
    NULL,
};

static const struct spec trace = {
    { .name = "trace",
      .summary = "An execution trace, for as long as seconds= says; open it "
                 "with go tool trace.",
      .default_seconds = 1,
      .text = CP_KIND_TEXT_NONE,
      .has_fractions = true },
    { { NULL, NULL } },
    { NULL, NULL },
    0,
    NULL,
};

static const struct spec wall = {
    { .name = "wall",
      .summary = "Where all threads are, running or waiting, for as long as "
                 "seconds= says.",
      .default_seconds = 10,
      .text = CP_KIND_TEXT_NONE,
      .has_fractions = true },
    { { "samples", "count" }, { "wall", "nanoseconds" } },
    { "wall", "nanoseconds" },
    10000000,
    NULL,
};

const struct cp_kind *const cp_empty_kinds[] = {
    &allocs.kind, &block.kind,   &goroutine.kind,    &heap.kind,  &leak.kind,
    &mutex.kind,  &profile.kind, &threadcreate.kind, &trace.kind, &wall.kind,
    NULL,
};

bool cp_empty_kind_is_trace(const struct cp_kind *kind)
{
    return kind == &trace.kind;
}

static enum cp_status fill(struct cp_builder *b, const struct spec *s,
                           struct cp_error *err)
{
    enum cp_status status = CP_OK;

    for (size_t i = 0; i < 4 && s->types[i].type && status == CP_OK; i++)
        status = cp_builder_type(b, s->types[i].type, s->types[i].unit, err);
    if (status == CP_OK)
        status = cp_builder_period(b, s->period_type.type, s->period_type.unit,
                                   s->period, err);
    if (status == CP_OK && s->default_type) {
        b->profile->default_type =
            cp_builder_str(b, s->default_type, strlen(s->default_type), err);
        if (b->profile->default_type == CP_NO_STR)
            status = CP_ENOMEM;
    }
    return status;
}

struct cp_profile *cp_empty_kind_profile(const struct cp_kind *kind,
                                         struct cp_error *err)
{
    const struct spec *s = (const struct spec *)kind; /* first member */
    struct cp_profile *p = NULL;
    struct cp_builder b = { 0 };

    if (cp_builder_init(&b, err) == CP_OK && fill(&b, s, err) == CP_OK)
        p = cp_builder_take(&b);
    cp_builder_release(&b);
    return p;
}

/*
 * Writes the smallest trace that go tool trace accepts: a header, and one batch
 * of one generation with the frequency of the clock. All numbers are varints.
 *
 *   batch  type 1, generation, thread (2^64-1 means none), time, length, data
 *   data   type 8, clock units per second
 */
void cp_empty_kind_trace(struct cp_out *out)
{
    static const char bytes[] =
        "go 1.22 trace\0\0\0"
        "\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01\x06"
        "\x08\x80\x94\xeb\xdc\x03";

    cp_out_bytes(out, bytes, sizeof(bytes) - 1);
}
