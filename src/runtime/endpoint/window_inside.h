/*
 * window_inside - what the parts of a window share; see window.h.
 *
 * window.c reads what is asked for and waits, window_take.c has the kind do its
 * work, window_answer.c says what came of it, and window_stream.c does both
 * while it happens.
 */
#ifndef CP_WINDOW_INSIDE_H
#define CP_WINDOW_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "runtime/endpoint/window.h"
#include "runtime/kind/kind.h"
#include "runtime/symbolize/mappings.h"

struct cp_http_exchange;
struct cp_out;
struct cp_profile;
struct cp_service;

#define CP_WINDOW_NAME_BYTES 64

struct cp_window {
    struct cp_service *service;
    struct cp_http_exchange *x;
    const struct cp_kind *kind;
    char name[CP_WINDOW_NAME_BYTES]; /* of the file that the client gets */
    enum cp_window_form form;
    struct cp_kind_request request;
    bool is_symbolized;
    bool is_open;              /* `handle` is to be finished or cancelled */
    void *handle;              /* the kind's */
    struct cp_profile *before; /* of a delta: the first snapshot */
    struct cp_profile **last;  /* changes are wanted since that one, or NULL */
    struct cp_mappings maps;   /* when the window was opened */
    int64_t started_ns;        /* monotonic */
    int64_t time_ns;           /* the same moment, since 1970 */
    bool is_behind;            /* of a stream: the client is slow */
};

/* The kind's side. Once begun, a window is to be finished or freed. */
enum cp_status cp_window_begin(struct cp_window *w, struct cp_error *err);
enum cp_status cp_window_finish(struct cp_window *w, struct cp_profile **out,
                                struct cp_error *err);
enum cp_status cp_window_finish_bytes(struct cp_window *w, struct cp_out *out,
                                      struct cp_error *err);
enum cp_status cp_window_snapshot(struct cp_window *w, struct cp_profile **out,
                                  struct cp_error *err);

/* A second snapshot less the first, which w has. */
enum cp_status cp_window_subtract(struct cp_window *w, struct cp_profile **out,
                                  struct cp_error *err);

/* Where the kind is to write, and how. */
struct cp_kind_sink cp_window_sink(struct cp_window *w, struct cp_out *out);
void cp_window_free(struct cp_window *w);

/* The client's side. */
void cp_window_refuse(struct cp_window *w, const struct cp_error *err);
void cp_window_add_headers(const struct cp_window *w);
void cp_window_answer(struct cp_window *w, enum cp_status status,
                      struct cp_out *out, const struct cp_error *err);
void cp_window_answer_profile(struct cp_window *w, struct cp_profile *p);

/* With what somebody else has recorded, for instance jemalloc. */
void cp_window_answer_source(struct cp_window *w, const char *source);

/* The exchange is over, or the client has gone: a keeper's. */
void cp_window_on_gone(void *window);

/* Begins to send what the kind has, while it happens, until it is over. */
void cp_window_stream(struct cp_window *w);

#endif
