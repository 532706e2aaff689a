/*
 * query - the options of a report in the URL of a page.
 *
 * The names are google/pprof's (f, i, h, s, sf, tf ...), the same that
 * ui/options.js writes.
 */
#ifndef CP_WEB_QUERY_H
#define CP_WEB_QUERY_H

#include "base/error.h"

struct cp_arena;
struct cp_http_request;
struct cp_options;

/*
 * Applies the request's query to *options. Copies strings to the arena.
 * CP_EUSAGE for an invalid value.
 */
enum cp_status cp_web_query(const struct cp_http_request *r,
                            struct cp_options *options, struct cp_arena *arena,
                            struct cp_error *err);

/*
 * Returns the value of a parameter, in the arena. NULL if it is not set, or on
 * failure: then err->status is not CP_OK.
 */
const char *cp_web_param(const struct cp_http_request *r, const char *name,
                         struct cp_arena *arena, struct cp_error *err);

#endif
