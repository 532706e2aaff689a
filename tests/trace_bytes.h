/*
 * trace_bytes - builds execution traces byte by byte, for the tests of
 * src/trace.
 */
#ifndef CP_TRACE_BYTES_H
#define CP_TRACE_BYTES_H

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "trace/read/read_events.h"
#include "trace/read/read_file.h"

/* A trace under construction: complete batches and the current one. */
struct trace_made {
    uint8_t bytes[1 << 16];
    size_t len;
    uint8_t batch[1 << 14];
    size_t n_batch;
    uint64_t generation, thread, time;
};

static inline size_t trace_varint(uint8_t *out, uint64_t value)
{
    size_t n = 0;

    for (; value >= 0x80; value >>= 7)
        out[n++] = (uint8_t)(value | 0x80);
    out[n++] = (uint8_t)value;
    return n;
}

static inline void trace_head(struct trace_made *t, const char *text)
{
    *t = (struct trace_made){ .len = CP_TRACE_HEAD_BYTES, .generation = 1 };
    memcpy(t->bytes, text, strlen(text));
}

/* Begins a batch; time is that of its first event. */
static inline void trace_batch(struct trace_made *t, uint64_t thread,
                               uint64_t time)
{
    t->n_batch = 0;
    t->thread = thread;
    t->time = time;
}

/* Appends a byte and n numbers. */
static inline void trace_put(struct trace_made *t, uint8_t kind, int n, ...)
{
    va_list args;

    t->batch[t->n_batch++] = kind;
    va_start(args, n);
    for (int i = 0; i < n; i++)
        t->n_batch +=
            trace_varint(t->batch + t->n_batch, va_arg(args, uint64_t));
    va_end(args);
}

static inline void trace_end(struct trace_made *t)
{
    t->bytes[t->len++] = CP_TRACE_BATCH;
    t->len += trace_varint(t->bytes + t->len, t->generation);
    t->len += trace_varint(t->bytes + t->len, t->thread);
    t->len += trace_varint(t->bytes + t->len, t->time);
    t->len += trace_varint(t->bytes + t->len, t->n_batch);
    memcpy(t->bytes + t->len, t->batch, t->n_batch);
    t->len += t->n_batch;
    t->n_batch = 0;
}

/* Appends the clock of a generation, in ticks per second. */
static inline void trace_clock(struct trace_made *t, uint64_t frequency)
{
    trace_batch(t, CP_TRACE_NO_THREAD, 0);
    trace_put(t, CP_TRACE_FREQUENCY, 1, frequency);
    trace_end(t);
}

/* Appends the strings 1, 2, ... */
static inline void trace_strings(struct trace_made *t, int n, ...)
{
    va_list args;

    trace_batch(t, CP_TRACE_NO_THREAD, 0);
    trace_put(t, CP_TRACE_STRINGS, 0);
    va_start(args, n);
    for (int i = 0; i < n; i++) {
        const char *text = va_arg(args, const char *);

        trace_put(t, CP_TRACE_STRING, 2, (uint64_t)i + 1,
                  (uint64_t)strlen(text));
        memcpy(t->batch + t->n_batch, text, strlen(text));
        t->n_batch += strlen(text);
    }
    va_end(args);
    trace_end(t);
}

/* Numbers for trace_put. */
#define U(x) ((uint64_t)(x))

#endif
