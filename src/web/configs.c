/* configs.c - reads, changes and writes settings.json. */
#include "web/configs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/bytes.h"
#include "base/json/json.h"
#include "base/new_file.h"
#include "base/out.h"
#include "report/core/escape.h"
#include "report/core/options.h"
#include "web/fields.h"

#define FILE_BYTES ((size_t)1 << 20)
#define MAX_CONFIGS 1000
#define NAME_BYTES 200

struct entry {
    struct cp_text name;
    struct cp_text all;   /* the object as it is in the file */
    struct cp_text value; /* value of its "name", with the quotes */
};

struct file {
    struct cp_bytes bytes;
    struct entry entries[MAX_CONFIGS];
    size_t n;
    struct cp_arena arena;
};

bool cp_configs_path(char *out, size_t cap)
{
    const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int n = 0;

    if (xdg && *xdg == '/')
        n = snprintf(out, cap, "%s/pprof/settings.json", xdg);
    else if (home && *home)
        n = snprintf(out, cap, "%s/.config/pprof/settings.json", home);
    return n > 0 && (size_t)n < cap;
}

/* ---- reading ---- */

static struct cp_text trimmed(const char *pos, const char *end)
{
    while (pos < end && (cp_text_is_white(*pos) || *pos == ','))
        pos++;
    while (pos < end && cp_text_is_white(end[-1]))
        end--;
    return (struct cp_text){ pos, end };
}

static void read_entry(struct cp_json *j, struct entry *e,
                       struct cp_arena *arena)
{
    static const char *const names[] = { "name" };
    const char *from = j->pos;
    struct cp_json at[1];

    cp_json_pick(j, names, 1, at);
    e->all = trimmed(from, j->pos);
    if (!cp_json_is(&at[0], CP_JSON_STRING)) {
        cp_json_fail(j, "configuration without a name");
        return;
    }
    from = at[0].pos;
    e->name = cp_json_text(&at[0], arena);
    e->value = trimmed(from, at[0].pos);
}

static enum cp_status parse(struct file *f, struct cp_error *err)
{
    static const char *const names[] = { "configs" };
    struct cp_json_doc doc;
    struct cp_json j = cp_json_start(&doc, (const char *)f->bytes.data,
                                     f->bytes.len),
                   at[1];
    enum cp_status status;

    cp_json_pick(&j, names, 1, at);
    if (cp_json_is(&at[0], CP_JSON_ARRAY) &&
        cp_json_enter(&at[0], CP_JSON_ARRAY)) {
        while (cp_json_item(&at[0])) {
            if (f->n == MAX_CONFIGS) {
                cp_json_fail(&at[0], "too many configurations");
                break;
            }
            read_entry(&at[0], &f->entries[f->n++], &f->arena);
        }
    }
    status = cp_json_status(&doc, err);
    cp_json_release(&doc);
    return status;
}

static void close_file(struct file *f)
{
    if (!f)
        return;
    cp_bytes_release(&f->bytes);
    cp_arena_release(&f->arena);
    cp_free(f);
}

/* Reads the file; NULL on failure. */
static struct file *open_file(const char *path, struct cp_error *err)
{
    struct file *f = cp_alloc(1, sizeof(*f), err);
    enum cp_status status = CP_OK;

    if (!f)
        return NULL;
    if (access(path, F_OK) == 0)
        status = cp_bytes_read_file(&f->bytes, path, FILE_BYTES, err);
    if (status == CP_OK && f->bytes.len > 0)
        status = parse(f, err);
    if (status == CP_OK)
        return f;
    cp_error_prefix(err, "settings.json: ");
    close_file(f);
    return NULL;
}

static struct entry *find(struct file *f, const char *name)
{
    for (size_t i = 0; i < f->n; i++)
        if (cp_text_len(f->entries[i].name) == strlen(name) &&
            memcmp(f->entries[i].name.pos, name, strlen(name)) == 0)
            return &f->entries[i];
    return NULL;
}

static enum cp_status check_name(const char *name, struct cp_error *err)
{
    if (*name == '\0' || strlen(name) > NAME_BYTES)
        return cp_error_set(err, CP_EUSAGE, "invalid config name");
    return CP_OK;
}

/* ---- writing ---- */

static void put_all(const struct file *f, struct cp_out *out)
{
    cp_out_cstr(out, "{\n  \"configs\": [");
    for (size_t i = 0; i < f->n; i++) {
        cp_out_cstr(out, i ? ",\n    " : "\n    ");
        cp_out_bytes(out, f->entries[i].all.pos,
                     cp_text_len(f->entries[i].all));
    }
    cp_out_cstr(out, f->n ? "\n  ]\n}" : "]\n}");
}

static void put_entry(const char *name, const struct cp_options *o,
                      struct cp_out *out)
{
    cp_out_cstr(out, "{\n      \"name\": ");
    cp_escape_json(out, (struct cp_str){ name, (uint32_t)strlen(name) });
    for (size_t i = 0; i < cp_web_n_fields; i++) {
        const struct cp_web_field *f = &cp_web_fields[i];
        struct cp_out value = { .fd = -1 };

        if (f->saved && cp_web_field_write(f, o, &value)) {
            cp_out_printf(out, ",\n      \"%s\": ", f->saved);
            cp_out_join(out, &value);
        }
        cp_out_release(&value);
    }
    cp_out_cstr(out, "\n    }");
}

/* Creates the missing directories above the file. */
static void make_folders(const char *path)
{
    char folder[PATH_MAX];

    for (const char *slash = strchr(path + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        (void)snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path),
                       path);
        (void)mkdir(folder, 0700);
    }
}

static enum cp_status write_file(const char *path, const char *bytes,
                                 size_t len, struct cp_error *err)
{
    char part[PATH_MAX];
    int fd = cp_new_file_beside(path, part, sizeof(part), 0644), failed;

    if (fd < 0)
        return cp_error_set(err, CP_EIO, "cannot write %s: %s", path,
                            strerror(errno));
    failed = write(fd, bytes, len) != (ssize_t)len;
    failed |= close(fd) != 0;
    if (!failed && rename(part, path) == 0)
        return CP_OK;
    (void)cp_error_set(err, CP_EIO, "cannot write %s: %s", path,
                       strerror(errno));
    (void)unlink(part);
    return CP_EIO;
}

/* Writes the file. Follows a symbolic link to its target. */
static enum cp_status store(const struct file *f, const char *path,
                            struct cp_error *err)
{
    struct cp_out out = { .fd = -1 };
    char *real = realpath(path, NULL);
    enum cp_status status;

    if (!real)
        make_folders(path);
    put_all(f, &out);
    status = out.err.status == CP_OK
                 ? write_file(real ? real : path, out.buf, out.len, err)
                 : cp_error_nomem(err);
    free(real);
    cp_out_release(&out);
    return status;
}

/* Writes the file with a new string for one entry. Frees the string. */
static enum cp_status replace(const struct file *f, struct entry *e,
                              struct cp_out *text, const char *path,
                              struct cp_error *err)
{
    enum cp_status status;

    e->all = cp_text_of(text->buf, text->len);
    status =
        text->err.status == CP_OK ? store(f, path, err) : cp_error_nomem(err);
    cp_out_release(text);
    return status;
}

/* ---- operations ---- */

enum cp_status cp_configs_list(const char *path, struct cp_out *out,
                               struct cp_error *err)
{
    struct file *f = open_file(path, err);

    if (!f)
        return err->status;
    put_all(f, out);
    close_file(f);
    return CP_OK;
}

enum cp_status cp_configs_save(const char *path, const char *name,
                               const struct cp_options *options,
                               struct cp_error *err)
{
    struct file *f = open_file(path, err);
    struct cp_out text = { .fd = -1 };
    struct entry *e;
    enum cp_status status;

    if (!f)
        return err->status;
    status = check_name(name, err);
    e = find(f, name);
    if (!e && f->n < MAX_CONFIGS)
        e = &f->entries[f->n++];
    if (status == CP_OK && !e)
        status = cp_error_set(err, CP_EUSAGE, "too many configurations");
    if (status == CP_OK) {
        put_entry(name, options, &text);
        status = replace(f, e, &text, path, err);
    }
    close_file(f);
    return status;
}

enum cp_status cp_configs_delete(const char *path, const char *name,
                                 struct cp_error *err)
{
    struct file *f = open_file(path, err);
    struct entry *e;
    enum cp_status status;

    if (!f)
        return err->status;
    e = find(f, name);
    if (e) {
        f->n--;
        memmove(e, e + 1, (size_t)(&f->entries[f->n] - e) * sizeof(*e));
        status = store(f, path, err);
    } else {
        status = cp_error_set(err, CP_EUSAGE, "config %s not found", name);
    }
    close_file(f);
    return status;
}

/* Writes the entry with a new name to *out. */
static void put_renamed(const struct entry *e, const char *to,
                        struct cp_out *out)
{
    cp_out_bytes(out, e->all.pos, (size_t)(e->value.pos - e->all.pos));
    cp_escape_json(out, (struct cp_str){ to, (uint32_t)strlen(to) });
    cp_out_bytes(out, e->value.end, (size_t)(e->all.end - e->value.end));
}

enum cp_status cp_configs_rename(const char *path, const char *name,
                                 const char *to, struct cp_error *err)
{
    struct file *f = open_file(path, err);
    struct cp_out text = { .fd = -1 };
    enum cp_status status;
    struct entry *e;

    if (!f)
        return err->status;
    status = check_name(to, err);
    e = find(f, name);
    if (status == CP_OK && !e)
        status = cp_error_set(err, CP_EUSAGE, "config %s not found", name);
    if (status == CP_OK && find(f, to))
        status = cp_error_set(err, CP_EUSAGE, "config %s exists already", to);
    if (status == CP_OK) {
        put_renamed(e, to, &text);
        status = replace(f, e, &text, path, err);
    }
    close_file(f);
    return status;
}
