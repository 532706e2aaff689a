/*
 * jobs - makes reports for the page on a worker thread.
 *
 * graphviz can take half a minute for a graph, and the server must handle other
 * requests during that time. One thread works through a queue; a wake-up of the
 * server's loop sends each reply. A job whose client has disconnected is
 * dropped.
 *
 * Context: the server's thread calls all functions. Locking: a mutex protects
 * the queue between that thread and the worker. Ordering: the wake-up publishes
 * a finished job to the server's thread. Failure: a failed report becomes an
 * error reply.
 */
#ifndef CP_WEB_JOBS_H
#define CP_WEB_JOBS_H

#include "base/error.h"

struct cp_arena;
struct cp_http_exchange;
struct cp_http_server;
struct cp_options;
struct cp_out;
struct cp_profile;

enum cp_web_kind {
    CP_WEB_PROFILE, /* the profile, not compressed */
    CP_WEB_PACKED,  /* the profile, gzip-compressed for downloads */
    CP_WEB_GRAPH,   /* SVG */
    CP_WEB_TEXT,    /* output of options.format */
    CP_WEB_TAKE,    /* new profile of the live program: options.argument */
};

/* The running program that a profile came from. */
struct cp_web_live {
    /*
     * Takes a new profile: "heap", "profile?seconds=5"; returns it compressed.
     * Runs on the worker thread; cancel, called from a different thread, makes
     * it return soon.
     */
    enum cp_status (*take)(void *context, const char *what, struct cp_out *out,
                           struct cp_error *err);
    void (*cancel)(void *context);
    void *context;
};

struct cp_web_jobs;

/* Borrows p and live (which may be NULL) until cp_web_jobs_free. */
enum cp_status cp_web_jobs_new(struct cp_web_jobs **out,
                               struct cp_http_server *server,
                               const struct cp_profile *p,
                               const struct cp_web_live *live,
                               struct cp_error *err);

/*
 * Queues the reply to x. Takes ownership of the arena, which holds the options'
 * strings; type is the content type of the reply.
 */
enum cp_status cp_web_jobs_add(struct cp_web_jobs *jobs,
                               struct cp_http_exchange *x,
                               enum cp_web_kind kind, const char *type,
                               const struct cp_options *options,
                               struct cp_arena *arena, struct cp_error *err);

/* Call it after the server's loop has ended. Waits for the running job. */
void cp_web_jobs_stop(struct cp_web_jobs *jobs);

/* Call it after the server is freed, because its connections refer to jobs. */
void cp_web_jobs_free(struct cp_web_jobs *jobs);

#endif
