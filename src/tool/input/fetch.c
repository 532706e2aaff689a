/*
 * fetch.c - runs transfers in parallel and handles Ctrl-C and progress.
 *
 * One thread drives all transfers through libcurl's multi interface, so that it
 * reacts to Ctrl-C at once and shows one progress line for all of them.
 */
#include "tool/input/fetch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tool/cli/interrupt.h"
#include "tool/input/transfer.h"

#define MAX_AT_ONCE 128
#define TICK_MS 250
#define TIMEOUT 3.0 /* seconds between Ctrl-C and cancelling */

struct job {
    struct cp_transfer *transfers;
    size_t n, n_started, n_running, n_ended;
    const struct cp_curl *curl;
    CURLM *multi;
    const struct cp_fetch_events *events;
    struct cp_fetch
        *arrived[MAX_AT_ONCE]; /* ended, not yet passed to arrived() */
    size_t n_arrived;
    bool shows_progress;
    char shown[80];        /* progress line on the screen */
    bool is_ending;        /* after the first Ctrl-C */
    struct timespec ended; /* time of the first Ctrl-C */
};

static void clear_progress(struct job *job)
{
    if (*job->shown)
        (void)fputs("\r\033[K", stderr);
    *job->shown = '\0';
}

static void report_arrived(struct job *job)
{
    if (job->n_arrived == 0)
        return;
    clear_progress(job); /* the callback may print messages */
    if (job->events->arrived)
        job->events->arrived(job->events->context, job->arrived,
                             job->n_arrived);
    job->n_arrived = 0;
}

static void note_end(struct job *job, struct cp_transfer *t)
{
    job->n_ended++;
    job->arrived[job->n_arrived++] = t->fetch;
    if (job->n_arrived == MAX_AT_ONCE)
        report_arrived(job);
}

static void start_more(struct job *job)
{
    while (job->n_started < job->n && job->n_running < MAX_AT_ONCE) {
        struct cp_transfer *t = &job->transfers[job->n_started++];

        if (job->is_ending && t->fetch->err.status == CP_OK)
            (void)cp_error_set(&t->fetch->err, CP_EIO, "interrupted");
        if (t->fetch->err.status == CP_OK && cp_transfer_start(t, job->multi))
            job->n_running++;
        else
            note_end(job, t);
    }
}

static void collect_ended(struct job *job)
{
    CURLMsg *message;
    int n_left;

    while ((message = job->curl->multi_info_read(job->multi, &n_left))) {
        CURLcode result = message->data.result;
        char *transfer = NULL;

        if (message->msg != CURLMSG_DONE)
            continue;
        (void)job->curl->easy_getinfo(message->easy_handle, CURLINFO_PRIVATE,
                                      &transfer);
        cp_transfer_finish((struct cp_transfer *)(void *)transfer, job->multi,
                           result);
        job->n_running--;
        note_end(job, (struct cp_transfer *)(void *)transfer);
    }
}

/* Computes the longest remaining time and the bytes received. */
static void sum_progress(const struct job *job, double *left, size_t *bytes)
{
    *left = 0;
    *bytes = 0;
    for (size_t i = 0; i < job->n_started; i++) {
        const struct cp_transfer *t = &job->transfers[i];
        double own = t->url.expected - cp_seconds_since(&t->started_at);

        if (!t->handle)
            continue;
        *bytes += t->fetch->body.len + t->n_written;
        if (own > *left && t->fetch->body.len == 0)
            *left = own;
    }
}

static void show_progress(struct job *job)
{
    char line[sizeof(job->shown)];
    size_t bytes, n = 0;
    double left;

    sum_progress(job, &left, &bytes);
    if (job->n > 1)
        n = (size_t)snprintf(line, sizeof(line), "%zu of %zu received, ",
                             job->n_ended, job->n);
    if (left > 0)
        (void)snprintf(line + n, sizeof(line) - n, "profiling, %.0f s left",
                       left);
    else if (bytes > 0)
        (void)snprintf(line + n, sizeof(line) - n, "receiving, %zu KB",
                       bytes >> 10);
    else
        (void)snprintf(line + n, sizeof(line) - n, "waiting for the server");
    if (strcmp(line, job->shown) == 0)
        return;
    memcpy(job->shown, line, sizeof(line));
    (void)fprintf(stderr, "\r\033[K%s", line);
}

static void cancel(struct job *job, struct cp_transfer *t)
{
    cp_transfer_cancel(t, job->multi);
    job->n_running--;
    note_end(job, t);
}

static void cancel_all(struct job *job)
{
    for (size_t i = 0; i < job->n_started; i++) {
        struct cp_transfer *t = &job->transfers[i];

        if (t->handle)
            cancel(job, t);
    }
}

/*
 * The first Ctrl-C: requests the data collected so far, and cancels the
 * transfers that cannot deliver it.
 */
static void half_close_all(struct job *job)
{
    size_t n_asked = 0;

    job->is_ending = true;
    (void)clock_gettime(CLOCK_MONOTONIC, &job->ended);
    for (size_t i = 0; i < job->n_started; i++) {
        struct cp_transfer *t = &job->transfers[i];

        if (t->handle && cp_transfer_half_close(t))
            n_asked++;
        else if (t->handle)
            cancel(job, t);
    }
    clear_progress(job);
    if (n_asked > 0)
        job->events->warn(job->events->context,
                          "Interrupted: fetching the data collected so far; "
                          "Ctrl-C again cancels");
}

static void handle_interrupt(struct job *job)
{
    bool is_new = cp_interrupt_seen();

    if (is_new)
        cp_interrupt_clear();
    if (is_new && !job->is_ending)
        half_close_all(job);
    else if (job->is_ending &&
             (is_new || cp_seconds_since(&job->ended) > TIMEOUT))
        cancel_all(job);
}

static void run_all(struct job *job)
{
    struct curl_waitfd interrupt = { .fd = cp_interrupt_fd(),
                                     .events = CURL_WAIT_POLLIN };
    int n;

    start_more(job);
    while (job->n_ended < job->n) {
        (void)job->curl->multi_perform(job->multi, &n);
        collect_ended(job);
        report_arrived(job);
        handle_interrupt(job);
        start_more(job);
        if (job->n_ended == job->n)
            break;
        if (job->shows_progress && !job->is_ending)
            show_progress(job);
        (void)job->curl->multi_poll(job->multi, &interrupt, interrupt.fd >= 0,
                                    TICK_MS, &n);
    }
    clear_progress(job);
    report_arrived(job);
}

static void announce(const struct cp_transfer *t,
                     const struct cp_fetch_events *events)
{
    const char *what = t->fetch->what ? t->fetch->what : "profile";
    struct cp_arena arena = { 0 };
    char line[1024];

    if (*what == '\0')
        return;
    (void)snprintf(line, sizeof(line), "Fetching %s over HTTP from %s", what,
                   t->url.socket ? t->fetch->name
                                 : cp_url_redact(t->url.text, &arena));
    cp_arena_release(&arena);
    events->warn(events->context, line);
    if (t->options->seconds <= 0)
        return;
    (void)snprintf(line, sizeof(line), "Please wait... (%ds)",
                   t->options->seconds);
    events->warn(events->context, line);
}

/* Parses the addresses and reports each request. */
static void prepare(struct job *job, struct cp_fetch *list,
                    const struct cp_fetch_options *o)
{
    const char *terminal = getenv("TERM");

    job->shows_progress =
        isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
    for (size_t i = 0; i < job->n; i++) {
        cp_transfer_init(&job->transfers[i], &list[i], o, job->curl);
        if (list[i].err.status == CP_OK)
            announce(&job->transfers[i], job->events);
    }
}

static void fail_all(struct cp_fetch *list, size_t n,
                     const struct cp_fetch_events *events,
                     const struct cp_error *err)
{
    for (size_t i = 0; i < n; i++) {
        struct cp_fetch *one = &list[i];

        one->err = *err;
        if (events->arrived)
            events->arrived(events->context, &one, 1);
    }
}

void cp_fetch_all(struct cp_fetch *list, size_t n,
                  const struct cp_fetch_options *o,
                  const struct cp_fetch_events *events)
{
    struct cp_error err = { 0 };
    struct job job = { .n = n, .events = events, .curl = cp_curl_load(&err) };

    job.multi = job.curl ? job.curl->multi_init() : NULL;
    job.transfers =
        job.multi ? cp_alloc(n, sizeof(*job.transfers), &err) : NULL;
    if (!job.transfers) {
        if (err.status == CP_OK)
            (void)cp_error_nomem(&err);
        fail_all(list, n, events, &err);
    } else {
        cp_interrupt_catch();
        prepare(&job, list, o);
        run_all(&job);
        cp_interrupt_release();
    }
    if (job.multi)
        (void)job.curl->multi_cleanup(job.multi);
    for (size_t i = 0; job.transfers && i < n; i++)
        cp_transfer_release(&job.transfers[i]);
    cp_free(job.transfers);
}
