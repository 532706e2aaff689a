/*
 * html.c - the report "html": the web page with the filtered profile embedded.
 */

#include "base/path.h"
#include "page/page.h"
#include "report/core/formats.h"
#include "report/core/report.h"

enum cp_status cp_write_html(struct cp_report *r, struct cp_out *out,
                             struct cp_error *err)
{
    const struct cp_profile *p = r->profile;
    struct cp_out packed = { .fd = -1 };
    struct cp_page_info info = { .title = "profile" };
    enum cp_status status = cp_write_proto(r, &packed, err);

    for (uint32_t i = p->n_mappings; i > 0; i--)
        if (p->mappings[i - 1].file != 0)
            info.title =
                cp_path_base(cp_profile_str(p, p->mappings[i - 1].file)).ptr;
    if (status == CP_OK)
        cp_page_write(out, &info, packed.buf, packed.len);
    cp_out_release(&packed);
    return status;
}
