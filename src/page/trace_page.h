/*
 * trace_page - the web page that shows an execution trace (ui/trace_*.js), as
 * one HTML file. It fetches its data from the server that sent it.
 */
#ifndef CP_TRACE_PAGE_H
#define CP_TRACE_PAGE_H

#include "page/page.h"

struct cp_out;

void cp_trace_page_write(struct cp_out *out);

/* See cp_page_policy. */
void cp_trace_page_policy(char out[CP_PAGE_POLICY_BYTES]);

#endif
