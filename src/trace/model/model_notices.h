/*
 * model_notices - events that concern a second thread: releases of a lock,
 * creations of a thread. The model finds wakers and creators among them.
 */
#ifndef CP_TRACE_MODEL_NOTICES_H
#define CP_TRACE_MODEL_NOTICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cp_trace_input;

#define CP_MAX_NOTICES ((size_t)1 << 16)

struct cp_notice {
    uint64_t key, time_ns; /* key: lock or token */
    int32_t tid;
    uint32_t stack;
    bool is_used;
};

/* Zero-initialize before use. */
struct cp_notices {
    struct cp_notice *list;
    size_t n, cap;
};

void cp_notices_release(struct cp_notices *s);

/* Adds a notice. If the list is full, drops the older half. */
void cp_notices_add(struct cp_notices *s, const struct cp_trace_input *in);

/* Removes the last notice of that key by that thread. */
void cp_notices_cancel(struct cp_notices *s, uint64_t key, int32_t tid);

/* Sorts by key, then by time; false if memory is exhausted. */
bool cp_notices_sort(struct cp_notices *s);

/*
 * Returns, for a sorted list, the index after the last notice of that key up to
 * that time.
 */
size_t cp_notices_count_up_to(const struct cp_notices *s, uint64_t key,
                              uint64_t time_ns);

/* Drops notices that are used or older than before_ns. */
void cp_notices_drop(struct cp_notices *s, uint64_t before_ns);

#endif
