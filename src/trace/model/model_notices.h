/*
 * model_notices - what a thread says of something that it shares with another:
 * it lets go of a lock, it makes a thread. Part of the model, which finds by
 * them who ended a wait and who made whom.
 */
#ifndef CP_TRACE_MODEL_NOTICES_H
#define CP_TRACE_MODEL_NOTICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cp_trace_input;

#define CP_MAX_NOTICES ((size_t)1 << 16)

struct cp_notice {
    uint64_t key, time_ns; /* the lock, or the token */
    int32_t tid;
    uint32_t stack;
    bool is_used;
};

/* Starts out as zeros. */
struct cp_notices {
    struct cp_notice *list;
    size_t n, cap;
};

void cp_notices_release(struct cp_notices *s);

/* Where there are too many, the older half is forgotten. */
void cp_notices_add(struct cp_notices *s, const struct cp_trace_input *in);

/* Takes back the last one of that key by that thread. */
void cp_notices_take_back(struct cp_notices *s, uint64_t key, int32_t tid);

/* By key, and those of one key by time; false: no memory. */
bool cp_notices_sort(struct cp_notices *s);

/* In a sorted list: how many there are up to the last of that key by then. */
size_t cp_notices_up_to(const struct cp_notices *s, uint64_t key,
                        uint64_t time_ns);

/* Drops what is used, and what is older than that. */
void cp_notices_drop(struct cp_notices *s, uint64_t before_ns);

#endif
