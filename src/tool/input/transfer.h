/*
 * transfer - one profile, or another file, on its way from a server.
 *
 * Knows what is asked of libcurl and what its answers mean; fetch.c runs
 * several of these at a time. A transfer ends with a body or with one line
 * that says why there is none.
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

/* While connecting libcurl may try a second address beside the first. */
#define CP_TRANSFER_SOCKETS 4

/* Starts with cp_transfer_init; it must not move, nor go before the multi
 * handle that it was given to. */
struct cp_transfer {
    struct cp_fetch *fetch;
    const struct cp_fetch_options *options;
    const struct cp_curl *curl;
    CURL *handle; /* NULL when it is not under way */
    struct cp_url url;
    struct timespec begun;
    curl_socket_t sockets[CP_TRANSFER_SOCKETS]; /* open now */
    size_t n_sockets;
    size_t n_written; /* bytes that went to fetch->fd */
    size_t n_header_bytes;
    int save_errno;   /* why others did not; 0: all did */
    bool is_hurried;  /* asked to end before its time */
    bool is_too_long; /* more came than is taken */
    bool has_words;   /* the server says what is wrong in plain text */
    bool is_text;
    char reason[64];               /* "Not Found" */
    char problem[CURL_ERROR_SIZE]; /* libcurl's own words */
    struct cp_arena arena;
};

static inline double cp_seconds_since(const struct timespec *then)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) +
           (double)(now.tv_nsec - then->tv_nsec) * 1e-9;
}

/* Reads the address; what is wrong with it is left in fetch->err. */
void cp_transfer_init(struct cp_transfer *t, struct cp_fetch *fetch,
                      const struct cp_fetch_options *o,
                      const struct cp_curl *curl);

/* Hands it to the multi handle; false, with fetch->err set, if it cannot. */
bool cp_transfer_start(struct cp_transfer *t, CURLM *multi);

/* Takes it back, and notes what came of it. */
void cp_transfer_finish(struct cp_transfer *t, CURLM *multi, CURLcode result);

/* Takes it back unfinished. */
void cp_transfer_cancel(struct cp_transfer *t, CURLM *multi);

/*
 * Asks the server for what it has by now: ends our half of the connection,
 * upon which Go's servers stop the CPU profile and send it. False if there
 * is nothing to hope for.
 */
bool cp_transfer_hurry(struct cp_transfer *t);

void cp_transfer_release(struct cp_transfer *t);

#endif
