/* remote_symbols.c - builds symbol requests and parses the replies. */
#include "tool/input/remote_symbols.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/out.h"
#include "base/search.h"
#include "profile/model/line_adder.h"
#include "profile/model/profile.h"
#include "tool/cli/command.h"
#include "tool/cli/url.h"
#include "tool/input/fetch.h"

struct cp_remote_source {
    const char *key;     /* build id or file of a mapping */
    const char *address; /* URL of its profile */
    uint64_t start;      /* start of the mapping in the server's process */
};

static enum cp_status note(struct cp_remote *r, const char *key,
                           const char *address, uint64_t start,
                           struct cp_error *err)
{
    if (cp_arena_reserve(&r->arena, &r->sources, r->n, &r->cap, r->n + 1,
                         sizeof(*r->sources), err) != CP_OK)
        return CP_ENOMEM;
    key = cp_arena_copy(&r->arena, key, strlen(key), err);
    address = cp_arena_copy(&r->arena, address, strlen(address), err);
    if (!key || !address)
        return CP_ENOMEM;
    r->sources[r->n++] = (struct cp_remote_source){ key, address, start };
    return CP_OK;
}

enum cp_status cp_remote_note(struct cp_remote *r, struct cp_profile *p,
                              const char *address, struct cp_error *err)
{
    for (uint32_t i = 0; i < p->n_mappings; i++) {
        struct cp_mapping *m = &p->mappings[i];

        if (!m->build_id && !m->file) {
            uint32_t name =
                cp_strtab_add(&p->strings, address, strlen(address), err);

            if (name == CP_NO_STR)
                return CP_ENOMEM;
            m->file = name;
        }
        if (note(r, cp_profile_cstr(p, m->build_id ? m->build_id : m->file),
                 address, m->start, err) != CP_OK)
            return CP_ENOMEM;
    }
    return CP_OK;
}

void cp_remote_release(struct cp_remote *r)
{
    cp_arena_release(&r->arena);
    *r = (struct cp_remote){ 0 };
}

static bool has_scheme(struct cp_str text)
{
    uint32_t i = 0;

    while (i < text.len && (isalnum((unsigned char)text.ptr[i]) ||
                            (text.ptr[i] && strchr("+-.", text.ptr[i]))))
        i++;
    return i > 0 && i < text.len && isalpha((unsigned char)text.ptr[0]) &&
           text.ptr[i] == ':';
}

void cp_remote_restore_names(struct cp_profile *p)
{
    for (uint32_t i = 0; i < p->n_mappings; i++)
        if (!p->mappings[i].build_id &&
            (has_scheme(cp_profile_str(p, p->mappings[i].file)) ||
             cp_url_is_url(cp_profile_cstr(p, p->mappings[i].file))))
            p->mappings[i].file = 0;
}

/* Whether a path is one of gperftools' services. */
static bool is_gperftools(const char *path, size_t len)
{
    static const char *const ends[] = { "/pprof/heap", "/pprof/growth",
                                        "/pprof/profile", "/pprof/pmuprofile",
                                        "/pprof/contention" };

    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        size_t n = strlen(ends[i]);

        if (len >= n && memcmp(path + len - n, ends[i], n) == 0)
            return true;
    }
    return false;
}

/* Returns the URL of the symbol service, derived from that of a profile. */
static char *symbol_address(const char *name, struct cp_arena *arena,
                            struct cp_error *err)
{
    struct cp_url u;
    const char *path, *word;
    size_t len, cut;

    if (cp_url_read(&u, name, 0, arena, err) != CP_OK)
        return NULL;
    path = strstr(u.text, "://") + 3;
    path += strcspn(path, "/?");
    len = cut = strcspn(path, "?");
    while (len > 1 && path[len - 1] == '/')
        cut = --len;
    word = memmem(path, len, "/debug/pprof/", 13) || is_gperftools(path, len)
               ? "symbol"
               : "symbolz";
    while (cut > 0 && path[cut - 1] != '/')
        cut--;
    if (u.socket)
        return cp_arena_printf(arena, err, "unix:%s:%.*s%s", u.socket, (int)cut,
                               path, word);
    return cp_arena_printf(
        arena, err, "%s%.*s%s%s", u.is_insecure ? "https+insecure" : "",
        (int)(path - u.text) + (int)cut,
        u.text + (u.is_insecure ? strlen("https") : 0), cut ? "" : "/", word);
}

/* A request to one server about one mapping. */
struct symbol_request {
    struct cp_line_adder *adder;
    uint32_t mapping;
    uint64_t shift; /* server's address minus local address */
    bool is_forced;
    struct cp_out body;
    struct {
        uint64_t address;
        uint32_t location;
    } * wanted; /* sorted by address */
    size_t n;
};

static int by_address(const void *a, const void *b)
{
    uint64_t x, y;

    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    return (x > y) - (x < y);
}

static enum cp_status ask(struct symbol_request *q, struct cp_error *err)
{
    const struct cp_profile *p = q->adder->profile;

    q->wanted = cp_alloc(p->n_locations, sizeof(*q->wanted), err);
    if (!q->wanted)
        return CP_ENOMEM;
    for (uint32_t i = 0; i < p->n_locations; i++) {
        const struct cp_location *l = &p->locations[i];

        if (l->mapping != q->mapping || l->address == 0 ||
            (l->n_lines > 0 && !q->is_forced))
            continue;
        cp_out_printf(&q->body, "%s0x%" PRIx64, q->n ? "+" : "",
                      l->address + q->shift);
        q->wanted[q->n].address = l->address + q->shift;
        q->wanted[q->n++].location = i;
    }
    qsort(q->wanted, q->n, sizeof(*q->wanted), by_address);
    return cp_out_finish(&q->body, err);
}

/* Sets the name of all locations with that address. */
static enum cp_status set_name(struct symbol_request *q, uint64_t address,
                               const char *name, struct cp_error *err)
{
    struct cp_line_frame frame = { .function = name };
    size_t i = q->n ? cp_search_from(&q->wanted->address, sizeof(*q->wanted),
                                     q->n, address)
                    : 0;

    for (; i < q->n && q->wanted[i].address == address; i++) {
        if (cp_line_adder_set(q->adder, q->wanted[i].location, &frame, 1,
                              err) != CP_OK)
            return CP_ENOMEM;
        q->adder->profile->mappings[q->mapping].has_functions = true;
    }
    return CP_OK;
}

/* Parses lines "0x1000 name"; ignores other lines. */
static enum cp_status read_reply(struct symbol_request *q, char *text,
                                 struct cp_error *err)
{
    char *rest = NULL;

    for (char *line = strtok_r(text, "\r\n", &rest); line;
         line = strtok_r(NULL, "\r\n", &rest)) {
        char *at = strstr(line, "0x"), *end;
        uint64_t address;

        if (!at || !isxdigit((unsigned char)at[2]))
            continue;
        address = strtoull(at, &end, 16);
        if (!isspace((unsigned char)*end))
            continue;
        while (isspace((unsigned char)*end))
            end++;
        if (set_name(q, address, end, err) != CP_OK)
            return CP_ENOMEM;
    }
    return CP_OK;
}

/* Sends the request and applies the reply; reports a failure to `warn`. */
static enum cp_status post(struct symbol_request *q, const char *address,
                           const struct cp_command *c, cp_warn warn,
                           void *context, struct cp_error *err)
{
    struct cp_fetch_options o = { -1, c->timeout, c->tls_cert, c->tls_key,
                                  c->tls_ca };
    struct cp_fetch f = { .name = address,
                          .what = "",
                          .post = q->body.buf,
                          .post_len = q->body.len,
                          .is_named = true };
    struct cp_fetch_events events = { .warn = warn, .context = context };
    enum cp_status status = CP_OK;
    char line[1024], *text;

    cp_fetch_all(&f, 1, &o, &events);
    if (f.err.status != CP_OK) {
        (void)snprintf(line, sizeof(line),
                       "Remote symbolization failed: %s: %s", address,
                       f.err.msg);
        warn(context, line);
        return CP_OK;
    }
    text = cp_alloc(f.body.len + 1, 1, err);
    if (text) {
        if (f.body.len)
            memcpy(text, f.body.data, f.body.len);
        status = read_reply(q, text, err);
    }
    cp_free(text);
    cp_bytes_release(&f.body);
    return text ? status : CP_ENOMEM;
}

static enum cp_status ask_source(const struct cp_remote_source *s,
                                 struct symbol_request *q,
                                 const struct cp_command *c, cp_warn warn,
                                 void *context, struct cp_error *err)
{
    struct cp_arena arena = { 0 };
    char *address = symbol_address(s->address, &arena, err);
    enum cp_status status = address ? ask(q, err) : CP_ENOMEM;

    if (status == CP_OK && q->n > 0)
        status = post(q, address, c, warn, context, err);
    cp_out_release(&q->body);
    cp_free(q->wanted);
    cp_arena_release(&arena);
    return status;
}

enum cp_status cp_remote_symbolize(const struct cp_remote *r,
                                   struct cp_line_adder *a,
                                   const struct cp_command *c, bool is_forced,
                                   cp_warn warn, void *context,
                                   struct cp_error *err)
{
    struct cp_profile *p = a->profile;
    enum cp_status status = CP_OK;

    for (uint32_t i = 0; i < p->n_mappings; i++) {
        const struct cp_mapping *m = &p->mappings[i];
        bool is_forced_now = is_forced;

        for (size_t k = 0; status == CP_OK && k < r->n; k++) {
            const struct cp_remote_source *s = &r->sources[k];
            struct symbol_request q = { .adder = a,
                                        .mapping = i,
                                        .shift = s->start - m->start,
                                        .is_forced = is_forced_now,
                                        .body = { .fd = -1 } };

            if ((m->has_functions && !is_forced_now) ||
                (strcmp(s->key, cp_profile_cstr(p, m->file)) != 0 &&
                 strcmp(s->key, cp_profile_cstr(p, m->build_id)) != 0))
                continue;
            status = ask_source(s, &q, c, warn, context, err);
            is_forced_now = false;
        }
    }
    return status;
}
