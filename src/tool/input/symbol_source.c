/* symbol_source.c - opens the mapped file or its debug file. */
#include "tool/input/symbol_source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "symbol/object.h"
#include "symbol/symbolizer.h"
#include "tool/input/debuginfod.h"

#define PATH_BYTES 4096

static struct cp_symbolizer *open_one(const char *path, bool is_fast,
                                      struct cp_error *why)
{
    struct cp_symbolizer_options options = { .is_parallel = true,
                                             .symbols_only = is_fast };
    struct cp_symbolizer *s = NULL;

    return cp_symbolizer_open(&s, path, &options, why) == CP_OK ? s : NULL;
}

/* Whether a file has the wanted build id, or neither can be compared. */
static bool is_same(struct cp_symbolizer *s, const char *wanted)
{
    char id[CP_BUILD_ID_TEXT];

    cp_object_build_id(cp_symbolizer_elf(s), id);
    return *wanted == '\0' || *id == '\0' || strcmp(id, wanted) == 0;
}

static bool was_deleted(const char *path)
{
    static const char mark[] = " (deleted)";
    size_t len = strlen(path), n = sizeof(mark) - 1;

    return len > n && strcmp(path + len - n, mark) == 0;
}

/*
 * Opens the mapped file. A deleted file may have a successor at its path, which
 * is accepted only if its build id matches.
 */
static struct cp_symbolizer *open_mapped(const struct cp_symbol_wanted *w,
                                         bool *is_missing, struct cp_error *why)
{
    char path[PATH_BYTES];
    bool is_deleted = was_deleted(w->path);
    struct cp_symbolizer *s;
    struct stat st;

    (void)snprintf(path, sizeof(path), "%s", w->path);
    if (is_deleted && stat(path, &st) != 0)
        path[strlen(path) - strlen(" (deleted)")] = '\0';
    if (stat(path, &st) != 0 || (is_deleted && *w->build_id == '\0')) {
        *is_missing = true;
        (void)cp_error_set(why, CP_EIO, "stat %s: %s", w->path,
                           is_deleted || errno == ENOENT
                               ? "no such file or directory"
                               : strerror(errno));
        return NULL;
    }
    s = open_one(path, w->is_fast, why);
    if (!s || is_same(s, w->build_id))
        return s;
    (void)cp_error_set(why, CP_EFORMAT, "build ID mismatch");
    cp_symbolizer_close(s);
    return NULL;
}

/* Opens a debug file by build id; NULL if none exists. */
static struct cp_symbolizer *open_debug(const struct cp_symbol_wanted *w,
                                        const char *id)
{
    const char *slash = strrchr(w->path, '/');
    struct cp_symbolizer *s = NULL;
    char path[PATH_BYTES];

    if (strlen(id) < 3)
        return NULL;
    (void)snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug",
                   id, id + 2);
    s = open_one(path, w->is_fast, NULL);
    if (!s && cp_debuginfod_find(id, slash ? slash + 1 : w->path, path,
                                 sizeof(path), w->warn, w->context))
        s = open_one(path, w->is_fast, NULL);
    if (s && !is_same(s, id)) {
        cp_symbolizer_close(s);
        s = NULL;
    }
    return s;
}

bool cp_symbol_source_open(struct cp_symbol_source *s,
                           const struct cp_symbol_wanted *wanted,
                           bool *is_missing, struct cp_error *why)
{
    char id[CP_BUILD_ID_TEXT];

    *s = (struct cp_symbol_source){ 0 };
    *is_missing = false;
    s->file = s->names = open_mapped(wanted, is_missing, why);
    if (!s->file) {
        s->file = s->names = open_debug(wanted, wanted->build_id);
        return s->file != NULL;
    }
    if (!wanted->is_fast && cp_symbolizer_reason(s->file)) {
        struct cp_symbolizer *debug;

        cp_object_build_id(cp_symbolizer_elf(s->file), id);
        debug = open_debug(wanted, id);
        if (debug)
            s->names = debug;
    }
    return true;
}

void cp_symbol_source_close(struct cp_symbol_source *s)
{
    if (s->names != s->file)
        cp_symbolizer_close(s->names);
    cp_symbolizer_close(s->file);
    *s = (struct cp_symbol_source){ 0 };
}
