/* jobs.c - the queue, its worker thread, and the replies. */
#include "web/jobs.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "base/alloc.h"
#include "http/exchange.h"
#include "http/server.h"
#include "profile/codec/encode.h"
#include "report/core/report.h"
#include "report/picture/picture.h"

struct job {
    struct cp_http_wake wake; /* returns the job to the server's thread */
    struct cp_web_jobs *jobs;
    struct cp_http_exchange *x; /* NULL after the client has disconnected */
    enum cp_web_kind kind;
    const char *type;
    struct cp_options options;
    struct cp_arena arena;
    struct cp_out out;
    struct cp_error err;
    enum cp_status status;
    struct job *next;            /* next job in the queue */
    struct job *older, **origin; /* list of all jobs; server's thread only */
};

struct cp_web_jobs {
    struct cp_http_server *server;
    const struct cp_profile *profile;
    const struct cp_web_live *live;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct job *first, **last;
    struct job *all; /* queued, running, or waiting for their wake */
    bool is_stopped;
};

static void free_job(struct job *j)
{
    *j->origin = j->older;
    if (j->older)
        j->older->origin = j->origin;
    cp_out_release(&j->out);
    cp_arena_release(&j->arena);
    cp_free(j);
}

static enum cp_status draw(struct cp_report *r, struct cp_out *out,
                           struct cp_error *err)
{
    struct cp_out dot = { .fd = -1 };
    enum cp_status status;

    r->options.is_drawn = true;
    status = cp_report_write(r, &dot, err);
    if (status == CP_OK)
        status =
            cp_picture_render(CP_PICTURE_SHAPES, dot.buf, dot.len, out, err);
    cp_out_release(&dot);
    return status;
}

static enum cp_status make_report(struct job *j)
{
    struct cp_profile *copy = cp_profile_copy(j->jobs->profile, &j->err);
    struct cp_report r = { .profile = copy, .options = j->options };
    enum cp_status status;

    if (!copy)
        return CP_ENOMEM;
    status = cp_report_init(&r, &j->err);
    if (status == CP_OK) {
        status = j->kind == CP_WEB_GRAPH
                     ? draw(&r, &j->out, &j->err)
                     : cp_report_write(&r, &j->out, &j->err);
        cp_report_release(&r);
    }
    cp_profile_free(copy);
    return status;
}

static enum cp_status work(struct job *j)
{
    const struct cp_profile *p = j->jobs->profile;

    if (j->kind == CP_WEB_TAKE)
        return j->jobs->live->take(j->jobs->live->context, j->options.argument,
                                   &j->out, &j->err);
    if (j->kind == CP_WEB_PROFILE)
        return cp_encode(p, &j->out, &j->err);
    if (j->kind == CP_WEB_PACKED)
        return cp_encode_gzip(p, &j->out, &j->err);
    return make_report(j);
}

/* Sends the reply, on the server's thread. */
static void reply(void *context)
{
    struct job *j = context;

    if (j->x && j->status == CP_OK) {
        cp_http_add_header(j->x, "Content-Type", j->type);
        if (j->kind == CP_WEB_PACKED)
            cp_http_add_header(j->x, "Content-Disposition",
                               "attachment; filename=\"profile.pb.gz\"");
        cp_http_answer(j->x, 200, &j->out);
    } else if (j->x) {
        cp_http_answer_text(j->x,
                            j->status == CP_ENOMEM   ? 503
                            : j->kind == CP_WEB_TAKE ? 502
                                                     : 400,
                            j->err.msg);
    }
    free_job(j);
}

static void on_disconnect(void *context)
{
    struct job *j = context;

    j->x = NULL;
}

static void *run(void *context)
{
    struct cp_web_jobs *jobs = context;

    for (;;) {
        struct job *j;

        (void)pthread_mutex_lock(&jobs->lock);
        while (!jobs->first && !jobs->is_stopped)
            (void)pthread_cond_wait(&jobs->more, &jobs->lock);
        j = jobs->is_stopped ? NULL : jobs->first;
        if (j) {
            jobs->first = j->next;
            if (!jobs->first)
                jobs->last = &jobs->first;
        }
        (void)pthread_mutex_unlock(&jobs->lock);
        if (!j)
            return NULL;
        j->status = work(j);
        cp_http_server_wake(jobs->server, &j->wake);
    }
}

enum cp_status cp_web_jobs_new(struct cp_web_jobs **out,
                               struct cp_http_server *server,
                               const struct cp_profile *p,
                               const struct cp_web_live *live,
                               struct cp_error *err)
{
    struct cp_web_jobs *jobs = cp_alloc(1, sizeof(*jobs), err);

    if (!jobs)
        return CP_ENOMEM;
    jobs->server = server;
    jobs->profile = p;
    jobs->live = live;
    jobs->last = &jobs->first;
    (void)pthread_mutex_init(&jobs->lock, NULL);
    (void)pthread_cond_init(&jobs->more, NULL);
    if (pthread_create(&jobs->thread, NULL, run, jobs) != 0) {
        cp_free(jobs);
        return cp_error_set(err, CP_EOTHER, "cannot start a thread");
    }
    *out = jobs;
    return CP_OK;
}

enum cp_status cp_web_jobs_add(struct cp_web_jobs *jobs,
                               struct cp_http_exchange *x,
                               enum cp_web_kind kind, const char *type,
                               const struct cp_options *options,
                               struct cp_arena *arena, struct cp_error *err)
{
    struct job *j = cp_alloc(1, sizeof(*j), err);

    if (!j)
        return CP_ENOMEM;
    *j = (struct job){ .wake = { .run = reply, .context = j },
                       .jobs = jobs,
                       .x = x,
                       .kind = kind,
                       .type = type,
                       .options = *options,
                       .arena = *arena,
                       .out = { .fd = -1 } };
    *arena = (struct cp_arena){ 0 };
    j->older = jobs->all;
    j->origin = &jobs->all;
    if (j->older)
        j->older->origin = &j->older;
    jobs->all = j;
    cp_http_defer(x,
                  &(struct cp_http_callbacks){ .on_disconnect = on_disconnect,
                                               .context = j },
                  -1);
    (void)pthread_mutex_lock(&jobs->lock);
    *jobs->last = j;
    jobs->last = &j->next;
    (void)pthread_cond_signal(&jobs->more);
    (void)pthread_mutex_unlock(&jobs->lock);
    return CP_OK;
}

/* Waits a short time for the thread; returns whether it has ended. */
static bool has_ended(struct cp_web_jobs *jobs)
{
    struct timespec soon;

    (void)clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec += 20000000;
    if (soon.tv_nsec >= 1000000000) {
        soon.tv_nsec -= 1000000000;
        soon.tv_sec++;
    }
    return pthread_timedjoin_np(jobs->thread, NULL, &soon) != ETIMEDOUT;
}

void cp_web_jobs_stop(struct cp_web_jobs *jobs)
{
    (void)pthread_mutex_lock(&jobs->lock);
    jobs->is_stopped = true;
    (void)pthread_cond_signal(&jobs->more);
    (void)pthread_mutex_unlock(&jobs->lock);
    while (jobs->live && !has_ended(jobs)) /* a profile may just have started */
        jobs->live->cancel(jobs->live->context);
    if (!jobs->live)
        (void)pthread_join(jobs->thread, NULL);
}

void cp_web_jobs_free(struct cp_web_jobs *jobs)
{
    while (jobs->all)
        free_job(jobs->all);
    (void)pthread_cond_destroy(&jobs->more);
    (void)pthread_mutex_destroy(&jobs->lock);
    cp_free(jobs);
}
