/*
 * transfer - one HTTP request through libcurl.
 *
 * It sets libcurl's options and interprets its results; fetch.c runs several
 * transfers in parallel. A transfer ends with a body or with a one-line error.
 */
#ifndef CP_TRANSFER_H
#define CP_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "base/arena.h"
#include "tool/cli/url.h"
#include "tool/input/curl.h"
#include "tool/input/fetch.h"

/*
 * Maximum sockets of a transfer: libcurl may try a second address while the
 * first connects.
 */
#define CP_TRANSFER_SOCKETS 4

/*
 * Initialize with cp_transfer_init. Must not move, and must outlive its use by
 * the multi handle.
 */
struct cp_transfer {
    struct cp_fetch *fetch;
    const struct cp_fetch_options *options;
    const struct cp_curl *curl;
    CURL *handle; /* NULL when not started */
    struct cp_url url;
    struct timespec started_at;
    curl_socket_t sockets[CP_TRANSFER_SOCKETS]; /* open sockets */
    size_t n_sockets;
    size_t n_written; /* bytes written to fetch->fd */
    size_t n_header_bytes;
    int save_errno;       /* errno of a failed write, or 0 */
    bool is_half_closed;  /* cp_transfer_half_close was called */
    bool is_too_long;     /* the body exceeds the limit */
    bool has_server_text; /* the error reply is plain text */
    bool is_text;
    char reason[64];               /* reason phrase, e.g. "Not Found" */
    char problem[CURL_ERROR_SIZE]; /* libcurl's message */
    struct cp_arena arena;
};

static inline double cp_seconds_since(const struct timespec *then)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) +
           (double)(now.tv_nsec - then->tv_nsec) * 1e-9;
}

/* Parses the address; sets fetch->err on failure. */
void cp_transfer_init(struct cp_transfer *t, struct cp_fetch *fetch,
                      const struct cp_fetch_options *o,
                      const struct cp_curl *curl);

/*
 * Adds the transfer to the multi handle. Returns false with fetch->err set on
 * failure.
 */
bool cp_transfer_start(struct cp_transfer *t, CURLM *multi);

/* Removes the transfer from the multi handle and stores its result. */
void cp_transfer_finish(struct cp_transfer *t, CURLM *multi, CURLcode result);

/* Removes an unfinished transfer. */
void cp_transfer_cancel(struct cp_transfer *t, CURLM *multi);

/*
 * Requests the data collected so far: shuts down the sending half of the
 * connection, upon which Go's servers stop the CPU profile and send it. Returns
 * false if the server will not reply.
 */
bool cp_transfer_half_close(struct cp_transfer *t);

void cp_transfer_release(struct cp_transfer *t);

#endif
