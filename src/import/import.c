/* import.c - detects the format of a foreign profile. */
#include "import/import.h"

#include <fcntl.h>
#include <string.h>

#include "import/readers.h"
#include "profile/model/profile.h"

/* Known formats that cannot be imported, with advice. */
static const struct known {
    const char *begin;
    size_t len;
    const char *what;
} known[] = {
    { "FLR\0", 4,
      "a Java Flight Recording; convert it first, for example with "
      "async-profiler's jfrconv -o collapsed" },
    { "go 1.", 5,
      "an execution trace, not a profile; open it with cpprof trace, or take "
      "a profile out of it with cpprof trace -pprof=sched" },
    { "PeriodType:", 11,
      "the text that -raw prints, which is for people; read the profile "
      "itself" },
    { "heaptrack version", 17,
      "a heaptrack recording; convert it with heaptrack_print -F" },
};

/*
 * Whether it is a Perfetto trace: packets (field 1) that begin with a clock
 * snapshot or a trace id.
 */
static bool is_perfetto(const char *bytes, size_t len)
{
    const unsigned char *p = (const unsigned char *)bytes;

    return len > 4 && p[0] == 0x0a && p[1] > 2 && p[1] < 0x80 &&
           p[1] + 2u < len && p[p[1] + 2u] == 0x0a &&
           (p[2] == 0x32 || p[2] == 0x40 || p[2] == 0x50 || p[2] == 0x52);
}

/*
 * Sets the error message for a known format that cannot be imported; CP_EOTHER
 * if unknown.
 */
static void name_known(const char *bytes, size_t len, struct cp_error *err)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const struct known *k = &known[i];

        if (len < k->len || memcmp(bytes, k->begin, k->len) != 0)
            continue;
        (void)cp_error_set(err, CP_EFORMAT, "this is %s", k->what);
        return;
    }
    if (is_perfetto(bytes, len))
        (void)cp_error_set(err, CP_EFORMAT,
                           "this is a Perfetto trace, not a profile; open it "
                           "at ui.perfetto.dev, or take a profile out of it "
                           "with traceconv profile");
    else
        (void)cp_error_set(err, CP_EOTHER, "unrecognized profile format");
}

/* Members that identify JSON formats. */
enum { SCHEMA, PROFILES, SHARED, EXPORTER, NODES, HEAD, THREADS, META, EVENTS };

static struct cp_profile *read_object(struct cp_json top, struct cp_error *err)
{
    static const char *const names[] = {
        [SCHEMA] = "$schema",     [PROFILES] = "profiles",
        [SHARED] = "shared",      [EXPORTER] = "exporter",
        [NODES] = "nodes",        [HEAD] = "head",
        [THREADS] = "threads",    [META] = "meta",
        [EVENTS] = "traceEvents",
    };
    struct cp_json at[EVENTS + 1], copy = top;

    cp_json_pick(&copy, names, EVENTS + 1, at);
    if (cp_json_status(top.doc, err) != CP_OK) {
        cp_error_prefix(err, "JSON: ");
        return NULL;
    }
    top.doc->is_checked = true;
    if (cp_json_is(&at[PROFILES], CP_JSON_ARRAY) &&
        cp_json_is(&at[SHARED], CP_JSON_OBJECT))
        return cp_import_speedscope(at[PROFILES], at[SHARED], at[EXPORTER],
                                    err);
    if (cp_json_is(&at[THREADS], CP_JSON_ARRAY) &&
        cp_json_is(&at[META], CP_JSON_OBJECT))
        return cp_import_gecko(top, err);
    if (cp_json_is(&at[NODES], CP_JSON_ARRAY) ||
        cp_json_is(&at[HEAD], CP_JSON_OBJECT))
        return cp_import_v8(top, err);
    if (cp_json_is(&at[EVENTS], CP_JSON_ARRAY))
        (void)cp_error_set(err, CP_EFORMAT,
                           "this is a Chrome trace of events, not a profile; "
                           "open it at ui.perfetto.dev or chrome://tracing");
    else
        (void)cp_error_set(err, CP_EOTHER, "JSON, but no profile");
    return NULL;
}

/* Whether the list contains objects with "ph", as in a Chrome trace. */
static bool is_trace(struct cp_json list)
{
    static const char *const names[] = { "ph" };
    struct cp_json at;

    if (!cp_json_enter(&list, CP_JSON_ARRAY) || !cp_json_item(&list) ||
        cp_json_kind(&list) != CP_JSON_OBJECT)
        return false;
    cp_json_pick(&list, names, 1, &at);
    return cp_json_is(&at, CP_JSON_STRING);
}

static struct cp_profile *read_json(const char *bytes, size_t len,
                                    struct cp_error *err)
{
    struct cp_json_doc doc;
    struct cp_json top = cp_json_start(&doc, bytes, len), probe = top;
    struct cp_profile *p = NULL;
    struct cp_text key;

    (void)cp_error_set(err, CP_EOTHER, "not JSON");
    if (cp_json_kind(&top) == CP_JSON_ARRAY) {
        if (is_trace(top))
            (void)cp_error_set(
                err, CP_EFORMAT,
                "this is a Chrome trace of events, not a profile; open it at "
                "ui.perfetto.dev or chrome://tracing");
    } else if (cp_json_kind(&top) == CP_JSON_OBJECT &&
               cp_json_enter(&probe, CP_JSON_OBJECT) &&
               cp_json_member(&probe, &key)) {
        *err = (struct cp_error){ 0 };
        p = read_object(top, err);
    }
    cp_json_release(&doc);
    return p;
}

typedef struct cp_profile *reader(const char *bytes, size_t len,
                                  struct cp_error *err);

/*
 * Stricter formats first: a line of perf script may look like a folded stack.
 */
static reader *const readers[] = {
    read_json,
    cp_import_callgrind,
    cp_import_perf_script,
    cp_import_folded,
};

struct cp_profile *cp_import_read(const char *bytes, size_t len,
                                  struct cp_error *err)
{
    struct cp_error own;
    struct cp_profile *p;

    err = err ? err : &own;
    name_known(bytes, len, err);
    for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
        if (err->status != CP_EOTHER)
            return NULL;
        *err = (struct cp_error){ 0 };
        p = readers[i](bytes, len, err);
        if (p)
            return p;
    }
    return NULL;
}
