/*
 * page - the web page that shows a profile (ui/), as one HTML file.
 *
 * It is used three times: packed into a file by -html, served by pprof -http,
 * and served by the runtime's endpoint. What differs is told by the info that
 * is put into it. Nothing in the page comes from another place.
 */
#ifndef CP_PAGE_H
#define CP_PAGE_H

#include <stdbool.h>
#include <stddef.h>

struct cp_out;

/* What can be taken of a running program; seconds 0 is at once. */
#define CP_PAGE_KINDS                                                          \
    "{\"name\":\"profile\",\"title\":\"CPU\",\"seconds\":5},"                  \
    "{\"name\":\"heap\",\"title\":\"Heap\",\"seconds\":0},"                    \
    "{\"name\":\"allocs\",\"title\":\"Allocations\",\"seconds\":0},"           \
    "{\"name\":\"block\",\"title\":\"Waits\",\"seconds\":0},"                  \
    "{\"name\":\"mutex\",\"title\":\"Locks\",\"seconds\":0},"                  \
    "{\"name\":\"goroutine\",\"title\":\"Threads\",\"seconds\":0}"

/* NULL where there is nothing to tell. */
struct cp_page_info {
    const char *title;
    bool has_server;   /* graph, source and disassembly can be asked for */
    const char *data;  /* address of the profile, relative to the page */
    const char *token; /* to be sent with every change */
    const char *live;  /* JSON: {"base":"../","kinds":[...]}, see ui/live.js */
};

/*
 * Writes the page with its info. If len is not 0 the profile (packed or not)
 * goes into it as well, as base 64.
 */
void cp_page_write(struct cp_out *out, const struct cp_page_info *info,
                   const void *profile, size_t len);

/* The page's Content-Security-Policy, for the head of an answer. */
#define CP_PAGE_POLICY_BYTES 512
void cp_page_policy(char out[CP_PAGE_POLICY_BYTES]);

/* The same of any page of ours: what its <meta> element says, and no frames. */
void cp_page_policy_of(const char *html, char out[CP_PAGE_POLICY_BYTES]);

#endif
