/*
 * index_page - serves /debug/pprof/, which lists the profiles and shows the
 * cost of the profiler.
 *
 * The page loads nothing from other servers. `format=json` gives the same
 * numbers as JSON; the page polls it to update itself.
 *
 * Context: the endpoint thread.
 */
#ifndef CP_INDEX_PAGE_H
#define CP_INDEX_PAGE_H

struct cp_http_exchange;
struct cp_service;

void cp_index_page(struct cp_service *s, struct cp_http_exchange *x);

#endif
