/* fetch.c - see fetch.h. */
#include "tool/fetch.h"

#include <ctype.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tool/curl.h"
#include "tool/url.h"

#define MOST_AT_ONCE 64
#define DEFAULT_TIMEOUT 60
#define GRACE 5 /* seconds that a server may take beyond the profile */
#define MOST_BYTES ((size_t)1 << 30)
#define MOST_WORDS 200

/* Set by Ctrl-C; written by the handler, read by the transfers. */
static volatile sig_atomic_t is_interrupted;

/* One transfer. */
struct transfer {
    struct cp_fetch *fetch;
    const struct cp_curl *curl;
    struct cp_url url;
    const struct cp_fetch_options *options;
    bool shows_progress;
    struct timespec begun;
    bool is_too_long;
    bool has_words; /* the server says what is wrong in plain text */
    bool is_text;
    struct cp_arena arena;
};

struct job {
    struct transfer *transfers;
    size_t n;
    atomic_size_t next;
};

static void on_interrupt(int number)
{
    (void)number;
    is_interrupted = 1;
}

static size_t on_body(char *bytes, size_t size, size_t n, void *context)
{
    struct transfer *t = context;
    struct cp_bytes *b = &t->fetch->body;
    size_t len = size * n;

    if (t->fetch->fd > 0)
        return write(t->fetch->fd, bytes, len) == (ssize_t)len ? len : 0;
    if (b->len + len > MOST_BYTES) {
        t->is_too_long = true;
        return 0;
    }
    if (cp_bytes_reserve(b, b->len + len + b->len / 2, NULL) != CP_OK)
        return 0;
    memcpy(b->data + b->len, bytes, len);
    b->len += len;
    return len;
}

/* Whether a header line has this name, in any case. */
static bool is_header(const char *line, size_t len, const char *name)
{
    size_t n = strlen(name);

    return len > n && strncasecmp(line, name, n) == 0 && line[n] == ':';
}

static size_t on_header(char *line, size_t size, size_t n, void *context)
{
    struct transfer *t = context;
    size_t len = size * n;

    if (is_header(line, len, "X-Go-Pprof"))
        t->has_words = true;
    if (is_header(line, len, "Content-Type"))
        t->is_text = memmem(line, len, "text/plain", 10) != NULL;
    return len;
}

static double seconds_since(const struct timespec *begun)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begun->tv_sec) +
           (double)(now.tv_nsec - begun->tv_nsec) * 1e-9;
}

static int on_progress(void *context, curl_off_t total, curl_off_t done,
                       curl_off_t up_total, curl_off_t up_done)
{
    const struct transfer *t = context;
    double left = t->url.seconds - seconds_since(&t->begun);

    (void)up_total;
    (void)up_done;
    if (t->shows_progress && done > 0 && t->fetch->fd > 0)
        (void)fprintf(stderr, "\r\033[K%lld of %lld MB",
                      (long long)(done >> 20), (long long)(total >> 20));
    else if (t->shows_progress && done > 0)
        (void)fprintf(stderr, "\r\033[K%lld KB", (long long)(done >> 10));
    else if (t->shows_progress && left > 0)
        (void)fprintf(stderr, "\r\033[Kprofiling, %.0f s left", left);
    else if (t->shows_progress)
        (void)fprintf(stderr, "\r\033[Kwaiting for the server");
    return is_interrupted;
}

static long timeout_of(const struct transfer *t)
{
    long timeout = t->options->timeout;

    if (timeout <= 0)
        timeout =
            t->url.seconds > 0 ? (long)t->url.seconds * 3 / 2 : DEFAULT_TIMEOUT;
    return timeout + GRACE;
}

/* A profile takes its time; a file is too slow below a kilobyte a second. */
static void set_timeout(const struct transfer *t, CURL *handle)
{
    const struct cp_curl *c = t->curl;

    if (t->fetch->fd > 0) {
        (void)c->easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, timeout_of(t));
        (void)c->easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, timeout_of(t));
        (void)c->easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1024L);
    } else {
        (void)c->easy_setopt(handle, CURLOPT_TIMEOUT, timeout_of(t));
    }
}

static void set_options(const struct transfer *t, CURL *handle)
{
    static struct curl_slist header = {
        (char *)(uintptr_t) "Content-Type: application/octet-stream", NULL
    };
    const struct cp_curl *c = t->curl;
    const struct cp_fetch_options *o = t->options;

    (void)c->easy_setopt(handle, CURLOPT_URL, t->url.text);
    (void)c->easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    (void)c->easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    (void)c->easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 1L);
    (void)c->easy_setopt(handle, CURLOPT_MAXREDIRS, 10L);
    set_timeout(t, handle);
    if (t->fetch->post) {
        (void)c->easy_setopt(handle, CURLOPT_POSTFIELDS, t->fetch->post);
        (void)c->easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE,
                             (curl_off_t)t->fetch->post_len);
        (void)c->easy_setopt(handle, CURLOPT_HTTPHEADER, &header);
    }
    (void)c->easy_setopt(handle, CURLOPT_USERAGENT, "pprof");
    (void)c->easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_body);
    (void)c->easy_setopt(handle, CURLOPT_WRITEDATA, t);
    (void)c->easy_setopt(handle, CURLOPT_HEADERFUNCTION, on_header);
    (void)c->easy_setopt(handle, CURLOPT_HEADERDATA, t);
    (void)c->easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    (void)c->easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, on_progress);
    (void)c->easy_setopt(handle, CURLOPT_XFERINFODATA, t);
    if (t->url.socket)
        (void)c->easy_setopt(handle, CURLOPT_UNIX_SOCKET_PATH, t->url.socket);
    if (t->url.is_insecure) {
        (void)c->easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 0L);
        (void)c->easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 0L);
    }
    if (*o->tls_cert)
        (void)c->easy_setopt(handle, CURLOPT_SSLCERT, o->tls_cert);
    if (*o->tls_key)
        (void)c->easy_setopt(handle, CURLOPT_SSLKEY, o->tls_key);
    if (*o->tls_ca)
        (void)c->easy_setopt(handle, CURLOPT_CAINFO, o->tls_ca);
}

/* "server response: 404", and the server's own words where it has some. */
static void refuse(struct transfer *t, long code)
{
    struct cp_bytes *b = &t->fetch->body;
    size_t len = b->len < MOST_WORDS ? b->len : MOST_WORDS;

    if (!t->has_words && !t->is_text)
        len = 0;
    while (len > 0 && isspace(b->data[len - 1]))
        len--;
    (void)cp_error_set(&t->fetch->err, CP_EIO, "server response: %ld%s%.*s",
                       code, len ? " - " : "", (int)len,
                       len ? (const char *)b->data : "");
    cp_bytes_release(b);
}

static void finish(struct transfer *t, CURL *handle, CURLcode result)
{
    long code = 0;

    if (t->is_too_long) {
        (void)cp_error_set(&t->fetch->err, CP_EIO, "sends over %zu MB",
                           MOST_BYTES >> 20);
    } else if (result == CURLE_ABORTED_BY_CALLBACK) {
        (void)cp_error_set(&t->fetch->err, CP_EIO, "interrupted");
    } else if (result == CURLE_OPERATION_TIMEDOUT) {
        (void)cp_error_set(&t->fetch->err, CP_EIO,
                           "no answer within %ld s; see -timeout",
                           timeout_of(t));
    } else if (result != CURLE_OK) {
        (void)cp_error_set(&t->fetch->err, CP_EIO, "%s",
                           t->curl->easy_strerror(result));
    } else {
        (void)t->curl->easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code);
        if (code != 200)
            refuse(t, code);
    }
    if (t->fetch->err.status != CP_OK)
        cp_bytes_release(&t->fetch->body);
}

static void run_transfer(struct transfer *t)
{
    CURL *handle = t->curl->easy_init();

    if (!handle) {
        (void)cp_error_nomem(&t->fetch->err);
        return;
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &t->begun);
    set_options(t, handle);
    finish(t, handle, t->curl->easy_perform(handle));
    t->curl->easy_cleanup(handle);
}

static void *work(void *context)
{
    struct job *job = context;
    size_t i;

    while ((i = atomic_fetch_add(&job->next, 1)) < job->n)
        if (job->transfers[i].fetch->err.status == CP_OK)
            run_transfer(&job->transfers[i]);
    return NULL;
}

static void run_all(struct job *job)
{
    pthread_t threads[MOST_AT_ONCE];
    size_t n = 0;

    while (n + 1 < job->n && n < MOST_AT_ONCE &&
           pthread_create(&threads[n], NULL, work, job) == 0)
        n++;
    (void)work(job);
    while (n > 0)
        (void)pthread_join(threads[--n], NULL);
}

static void announce(const struct transfer *t, cp_warn warn, void *context)
{
    const char *what = t->fetch->what;
    char line[1024];

    if (what && !*what)
        return;
    (void)snprintf(line, sizeof(line), "Fetching %s over HTTP from %s",
                   what ? what : "profile",
                   t->url.socket ? t->fetch->name : t->url.text);
    warn(context, line);
    if (t->options->seconds > 0) {
        (void)snprintf(line, sizeof(line), "Please wait... (%ds)",
                       t->options->seconds);
        warn(context, line);
    }
}

/* Takes the addresses apart and says what is being fetched. */
static void prepare(struct job *job, struct cp_fetch *list,
                    const struct cp_curl *curl,
                    const struct cp_fetch_options *o, cp_warn warn,
                    void *context)
{
    bool shows_progress = job->n == 1 && isatty(STDERR_FILENO);

    for (size_t i = 0; i < job->n; i++) {
        struct transfer *t = &job->transfers[i];

        *t = (struct transfer){ .fetch = &list[i],
                                .curl = curl,
                                .options = o,
                                .shows_progress = shows_progress };
        if (cp_url_read(&t->url, list[i].name, o->seconds, &t->arena,
                        &list[i].err) == CP_OK)
            announce(t, warn, context);
    }
}

void cp_fetch_all(struct cp_fetch *list, size_t n,
                  const struct cp_fetch_options *o, cp_warn warn, void *context)
{
    struct sigaction handle = { .sa_handler = on_interrupt }, before;
    struct cp_error err = { 0 };
    const struct cp_curl *curl = cp_curl_load(&err);
    struct job job = { .n = n };

    job.transfers = curl ? cp_alloc(n, sizeof(*job.transfers), &err) : NULL;
    for (size_t i = 0; !job.transfers && i < n; i++)
        list[i].err = err;
    if (!job.transfers)
        return;
    is_interrupted = 0;
    (void)sigaction(SIGINT, &handle, &before);
    prepare(&job, list, curl, o, warn, context);
    run_all(&job);
    (void)sigaction(SIGINT, &before, NULL);
    if (job.transfers[0].shows_progress)
        (void)fputs("\r\033[K", stderr);
    for (size_t i = 0; i < n; i++)
        cp_arena_release(&job.transfers[i].arena);
    cp_free(job.transfers);
}
