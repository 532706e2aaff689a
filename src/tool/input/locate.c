/* locate.c - tries the candidate paths of a mapping's file. */
#include "tool/input/locate.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "elf/elf_file.h"
#include "profile/model/profile.h"
#include "symbol/object.h"

#define PATH_BYTES 4096
#define MAX_FILES 1000 /* files tried in the directory of a build id */

/* The search for one mapping's file. */
struct search {
    const char *dir;
    struct cp_str file, folder, base, id; /* directory and base name of file */
    char found[PATH_BYTES];
    cp_warn warn;
    void *context;
};

/* Whether the candidate s->found is acceptable. */
static bool is_acceptable(struct search *s)
{
    struct cp_elf *e = NULL;
    char id[CP_BUILD_ID_TEXT], line[PATH_BYTES + 512];
    struct stat st;
    bool is_same;

    if (stat(s->found, &st) != 0 || !S_ISREG(st.st_mode) ||
        cp_elf_open(&e, s->found, NULL) != CP_OK)
        return false;
    cp_object_build_id(e, id);
    cp_elf_close(e);
    is_same = s->id.len == 0 || strcmp(id, s->id.ptr) == 0;
    if (!is_same) {
        (void)snprintf(line, sizeof(line),
                       "Ignoring local file %s: build-id mismatch (%s != %s)",
                       s->found, s->id.ptr, id);
        s->warn(s->context, line);
    }
    return is_same;
}

static bool try_name(struct search *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool try_name(struct search *s, const char *format, ...)
{
    va_list arguments;
    size_t n = (size_t)snprintf(s->found, sizeof(s->found), "%s/", s->dir);
    int len;

    if (n >= sizeof(s->found))
        return false;
    va_start(arguments, format);
    len = vsnprintf(s->found + n, sizeof(s->found) - n, format, arguments);
    va_end(arguments);
    return len > 0 && n + (size_t)len < sizeof(s->found) && is_acceptable(s);
}

static int is_not_hidden(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

/* Tries all files in the directory of the build id, sorted by name. */
static bool try_folder(struct search *s)
{
    struct dirent **entries = NULL;
    char path[PATH_BYTES];
    bool found = false;
    int n;

    if (snprintf(path, sizeof(path), "%s/%s", s->dir, s->id.ptr) >=
        (int)sizeof(path))
        return false;
    n = scandir(path, &entries, is_not_hidden, alphasort);
    for (int i = 0; i < n; i++) {
        found = found || (i < MAX_FILES &&
                          try_name(s, "%s/%s", s->id.ptr, entries[i]->d_name));
        free(entries[i]);
    }
    free(entries);
    return found;
}

static bool try_build_id(struct search *s)
{
    if (s->id.len == 0 || memchr(s->id.ptr, '/', s->id.len))
        return false;
    return (s->base.len && try_name(s, "%s/%s", s->id.ptr, s->base.ptr)) ||
           try_folder(s) ||
           (s->file.len && try_name(s, "%s/%s", s->file.ptr, s->id.ptr)) ||
           (s->id.len > 2 &&
            try_name(s, "%.2s/%s.debug", s->id.ptr, s->id.ptr + 2));
}

static bool try_file(struct search *s)
{
    int n = (int)s->folder.len;

    if (s->file.len == 0 || s->base.len == 0 || *s->base.ptr == '/')
        return false;
    return try_name(s, "%s", s->base.ptr) || try_name(s, "%s", s->file.ptr) ||
           try_name(s, "%s.debug", s->file.ptr) ||
           try_name(s, "%.*s/.debug/%s.debug", n, s->folder.ptr, s->base.ptr) ||
           try_name(s, "usr/lib/debug/%.*s/%s.debug", n, s->folder.ptr,
                    s->base.ptr);
}

static bool search_all(struct search *s, char *dirs)
{
    char *rest = NULL;

    for (char *dir = strtok_r(dirs, ":", &rest); dir;
         dir = strtok_r(NULL, ":", &rest)) {
        struct stat st;

        s->dir = dir;
        if (stat(dir, &st) == 0 && S_ISDIR(st.st_mode) &&
            (try_build_id(s) || try_file(s)))
            return true;
    }
    return false;
}

static enum cp_status locate(struct cp_profile *p, struct cp_mapping *m,
                             const char *dirs, struct search *s,
                             struct cp_error *err)
{
    char list[PATH_BYTES];
    uint32_t name;

    s->file = cp_profile_str(p, m->file);
    s->id = cp_profile_str(p, m->build_id);
    s->base = s->file.len ? cp_path_base(s->file) : (struct cp_str){ "", 0 };
    s->folder =
        (struct cp_str){ s->file.ptr, s->file.len > s->base.len
                                          ? s->file.len - s->base.len - 1
                                          : 0 };
    (void)snprintf(list, sizeof(list), "%s", dirs);
    if (!search_all(s, list))
        return CP_OK;
    name = cp_strtab_add(&p->strings, s->found, strlen(s->found), err);
    if (name == CP_NO_STR)
        return CP_ENOMEM;
    m->file = name;
    return CP_OK;
}

enum cp_status cp_locate_binaries(struct cp_profile *p, cp_warn warn,
                                  void *context, struct cp_error *err)
{
    const char *dirs = getenv("PPROF_BINARY_PATH"), *home = getenv("HOME");
    char usual[PATH_BYTES];
    struct search s = { .warn = warn, .context = context };
    enum cp_status status = CP_OK;
    struct stat st;

    if (!dirs || !*dirs) {
        (void)snprintf(usual, sizeof(usual), "%s/pprof/binaries",
                       home ? home : "");
        if (stat(usual, &st) != 0)
            return CP_OK;
        dirs = usual;
    }
    for (uint32_t i = 0; status == CP_OK && i < p->n_mappings; i++)
        status = locate(p, &p->mappings[i], dirs, &s, err);
    return status;
}
