/* ui_page.c - see ui_page.h. */
#include "runtime/ui_page.h"

#include "page/page.h"
#include "runtime/service.h"

/* What the page offers to take; seconds 0 is at once. */
#define LIVE                                                                   \
    "{\"base\":\"../\",\"kinds\":["                                            \
    "{\"name\":\"profile\",\"title\":\"CPU\",\"seconds\":5},"                  \
    "{\"name\":\"wall\",\"title\":\"Wall clock\",\"seconds\":5},"              \
    "{\"name\":\"heap\",\"title\":\"Heap\",\"seconds\":0},"                    \
    "{\"name\":\"allocs\",\"title\":\"Allocations\",\"seconds\":0},"           \
    "{\"name\":\"block\",\"title\":\"Waits\",\"seconds\":0},"                  \
    "{\"name\":\"mutex\",\"title\":\"Locks\",\"seconds\":0},"                  \
    "{\"name\":\"goroutine\",\"title\":\"Threads\",\"seconds\":0}]}"

void cp_ui_page(void *context, struct cp_http_exchange *x)
{
    static const struct cp_page_info info = { .title = "live", .live = LIVE };
    const struct cp_http_request *r = cp_http_request_of(x);
    struct cp_out page = { .fd = -1 };

    (void)context;
    if (!cp_http_request_is(r, "GET") && !cp_http_request_is(r, "HEAD")) {
        cp_service_error(x, 405, "only GET and HEAD");
        return;
    }
    cp_page_write(&page, &info, NULL, 0);
    cp_http_add_header(x, "Content-Type", "text/html; charset=utf-8");
    cp_http_add_header(x, "X-Content-Type-Options", "nosniff");
    cp_http_answer(x, 200, &page);
    cp_out_release(&page);
}
