/* foreign.c - runs the importers, and `perf script` for perf.data. */
#include "tool/input/foreign.h"

#include <string.h>

#include "base/out.h"
#include "import/import.h"
#include "import/readers.h"
#include "profile/model/profile.h"
#include "report/source/child.h"
#include "tool/input/content.h"

static bool is_perf_data(const char *bytes, size_t len)
{
    return len >= 8 && (memcmp(bytes, "PERFILE2", 8) == 0 ||
                        memcmp(bytes, "2ELIFREP", 8) == 0);
}

/*
 * Runs `perf script`. perf gets the file as standard input, where it can seek;
 * -f accepts a file of a different user. Inlined functions are resolved later,
 * because perf would start addr2line for every address.
 */
static struct cp_profile *read_perf_data(const char *bytes, size_t len,
                                         struct cp_error *err)
{
    char *const argv[] = { "perf", "script", "-f",          "-i", "/dev/stdin",
                           "-F",   "+pid",   "--no-inline", NULL };
    struct cp_out text = { .fd = -1 };
    struct cp_profile *p = NULL;
    enum cp_status status = cp_child_run(argv, bytes, len, &text, err);

    if (status == CP_EOTHER)
        (void)cp_error_set(err, CP_EIO,
                           "reading a file of perf record needs perf, which is "
                           "not installed: apt-get install linux-perf");
    else if (status == CP_OK && text.len == 0)
        (void)cp_error_set(err, CP_EFORMAT,
                           "perf script found no samples in the file");
    else if (status == CP_OK)
        p = cp_import_perf_script(text.buf, text.len, err);
    if (!p && err->status == CP_EOTHER)
        err->status = CP_EFORMAT;
    cp_out_release(&text);
    return p;
}

struct cp_profile *cp_foreign_read(const char *bytes, size_t len,
                                   struct cp_error *err)
{
    const char *other = cp_content_other(bytes, len);

    if (other) {
        (void)cp_error_set(err, CP_EFORMAT, "%s", other);
        return NULL;
    }
    return is_perf_data(bytes, len) ? read_perf_data(bytes, len, err)
                                    : cp_import_read(bytes, len, err);
}
