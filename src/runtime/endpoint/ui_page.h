/*
 * ui_page - serves the web page of ui/ from the profiled program itself.
 *
 * Context: the endpoint thread.
 */
#ifndef CP_UI_PAGE_H
#define CP_UI_PAGE_H

struct cp_http_exchange;

/*
 * Answers every path under /debug/pprof/ui/. The page fetches profiles from the
 * parent path. `context` is unused.
 */
void cp_ui_page(void *context, struct cp_http_exchange *x);

#endif
