/*
 * page - the web page that shows a profile (ui/), as one HTML file.
 *
 * -html writes it to a file; pprof -http and the library's endpoint serve it.
 * The embedded info selects the differences. The page loads nothing from other
 * servers.
 */
#ifndef CP_PAGE_H
#define CP_PAGE_H

#include <stdbool.h>
#include <stddef.h>

struct cp_out;

/* Profiles of a running program; seconds 0 means immediately. */
#define CP_PAGE_KINDS                                                          \
    "{\"name\":\"profile\",\"title\":\"CPU\",\"seconds\":5},"                  \
    "{\"name\":\"heap\",\"title\":\"Heap\",\"seconds\":0},"                    \
    "{\"name\":\"allocs\",\"title\":\"Allocations\",\"seconds\":0},"           \
    "{\"name\":\"block\",\"title\":\"Waits\",\"seconds\":0},"                  \
    "{\"name\":\"mutex\",\"title\":\"Locks\",\"seconds\":0},"                  \
    "{\"name\":\"goroutine\",\"title\":\"Threads\",\"seconds\":0}"

/* Strings are NULL if absent. */
struct cp_page_info {
    const char *title;
    bool has_server;   /* graph, source and disassembly are available */
    const char *data;  /* URL of the profile, relative to the page */
    const char *token; /* sent with every change */
    const char *live;  /* JSON: {"base":"../","kinds":[...]}, see ui/live.js */
};

/*
 * Writes the page with its info. If len is not 0, embeds the profile
 * (compressed or not) as base64.
 */
void cp_page_write(struct cp_out *out, const struct cp_page_info *info,
                   const void *profile, size_t len);

/* The page's Content-Security-Policy, for the reply's header. */
#define CP_PAGE_POLICY_BYTES 512
void cp_page_policy(char out[CP_PAGE_POLICY_BYTES]);

/* The same for any page: the policy of its <meta> element, plus no framing. */
void cp_page_policy_of(const char *html, char out[CP_PAGE_POLICY_BYTES]);

#endif
