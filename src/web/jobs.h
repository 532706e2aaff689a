/*
 * jobs - reports for the page, made beside the server's thread.
 *
 * A graph can take graphviz half a minute; the server must answer others
 * meanwhile. One thread works through a queue; answers come back through the
 * server's loop. A client that has gone is forgotten.
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
    CP_WEB_PROFILE, /* the profile as it is, not packed */
    CP_WEB_PACKED,  /* the same, for downloads */
    CP_WEB_GRAPH,   /* SVG */
    CP_WEB_TEXT,    /* what options.format writes */
    CP_WEB_TAKE,    /* a new profile: options.argument of the live program */
};

/* The running program that a profile came from. */
struct cp_web_live {
    /*
     * A new profile of it as a packed file: "heap", "profile?seconds=5". Runs
     * beside the server; cancel makes it end soon, from another thread.
     */
    enum cp_status (*take)(void *context, const char *what, struct cp_out *out,
                           struct cp_error *err);
    void (*cancel)(void *context);
    void *context;
};

struct cp_web_jobs;

/* p and live (which may be NULL) outlive the jobs. */
enum cp_status cp_web_jobs_new(struct cp_web_jobs **out,
                               struct cp_http_server *server,
                               const struct cp_profile *p,
                               const struct cp_web_live *live,
                               struct cp_error *err);

/*
 * Queues the answer to x. The arena holds the options' text and is taken
 * over; type is the answer's content type.
 */
enum cp_status cp_web_jobs_add(struct cp_web_jobs *jobs,
                               struct cp_http_exchange *x,
                               enum cp_web_kind kind, const char *type,
                               const struct cp_options *options,
                               struct cp_arena *arena, struct cp_error *err);

/* After the server's loop has ended. Waits for the job at work. */
void cp_web_jobs_stop(struct cp_web_jobs *jobs);

/* After the server is freed, whose connections still name their jobs. */
void cp_web_jobs_free(struct cp_web_jobs *jobs);

#endif
