/* ui_page.c - writes the page and the numbers that it draws over time. */
#include "runtime/endpoint/ui_page.h"

#include <string.h>

#include "base/out.h"
#include "http/exchange.h"
#include "http/request.h"
#include "page/page.h"
#include "runtime/endpoint/service.h"
#include "runtime/heap/memory_stats.h"

/* The profiles that the page offers, as JSON; `base` is the parent path. */
#define LIVE                                                                   \
    "{\"base\":\"../\",\"stats\":\"stats\",\"kinds\":["                        \
    "{\"name\":\"wall\",\"title\":\"Wall "                                     \
    "clock\",\"seconds\":5}," CP_PAGE_KINDS "]}"

/* Memory statistics as JSON, for ui/stats.js. */
static void send_stats(struct cp_http_exchange *x)
{
    struct cp_out out = { .fd = -1 };

    cp_memory_stats_json(&out);
    cp_http_add_header(x, "Content-Type", "application/json");
    cp_http_add_header(x, "Cache-Control", "no-store");
    cp_http_answer(x, 200, &out);
    cp_out_release(&out);
}

void cp_ui_page(void *context, struct cp_http_exchange *x)
{
    const struct cp_http_request *r = cp_http_request_of(x);
    struct cp_out page = { .fd = -1 }, command = { .fd = -1 };
    struct cp_page_info info = { .live = LIVE };
    char policy[CP_PAGE_POLICY_BYTES];

    (void)context;
    if (!cp_http_request_is(r, "GET") && !cp_http_request_is(r, "HEAD")) {
        cp_service_error(x, 405, "method not allowed: use GET or HEAD");
        return;
    }
    if (strcmp(cp_http_request_path(r), "/debug/pprof/ui/stats") == 0) {
        send_stats(x);
        return;
    }
    info.title = cp_service_program(&command);
    cp_page_write(&page, &info, NULL, 0);
    cp_out_release(&command);
    cp_page_policy(policy);
    cp_http_set_policy(x, policy);
    cp_http_add_header(x, "Content-Type", "text/html; charset=utf-8");
    cp_http_answer(x, 200, &page);
    cp_out_release(&page);
}
