/* ui_page - the web page (ui/), served by the program itself. */
#ifndef CP_UI_PAGE_H
#define CP_UI_PAGE_H

struct cp_http_exchange;

/*
 * Answers whatever is under /debug/pprof/ui/: the page, which then takes
 * profiles from the paths above it. context is the struct cp_service.
 */
void cp_ui_page(void *context, struct cp_http_exchange *x);

#endif
