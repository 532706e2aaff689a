/* trace_page.c - writes the page of a trace and its policy. */
#include "page/trace_page.h"

#include "base/out.h"

extern const char cp_asset_trace_html[];

void cp_trace_page_write(struct cp_out *out)
{
    cp_out_cstr(out, cp_asset_trace_html);
}

void cp_trace_page_policy(char out[CP_PAGE_POLICY_BYTES])
{
    cp_page_policy_of(cp_asset_trace_html, out);
}
