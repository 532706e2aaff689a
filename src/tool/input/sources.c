/* sources.c - fetches, reads, merges, symbolizes and subtracts the sources. */
#include "tool/input/sources.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/legacy/drop_frames.h"
#include "profile/model/profile.h"
#include "profile/transform/prune.h"
#include "profile/transform/scale.h"
#include "tool/cli/command.h"
#include "tool/cli/url.h"
#include "tool/input/base_mark.h"
#include "tool/input/fetch.h"
#include "tool/input/foreign.h"
#include "tool/input/locate.h"
#include "tool/input/remote_symbols.h"
#include "tool/input/save.h"
#include "tool/input/source_set.h"
#include "tool/input/symbolize.h"

struct loader {
    const struct cp_command *c;
    const char *binary; /* replaces the first mapping's file */
    void (*warn)(void *context, const char *line);
    void *context;
    struct cp_source_set sources, bases;
    struct cp_fetch *fetches;
    size_t n_fetches;
    struct cp_remote remote;
    struct cp_arena arena;
};

/* Adds a mapping to a profile without one, so that a binary can be set. */
static enum cp_status add_mapping(struct cp_profile *p, struct cp_error *err)
{
    p->mappings = cp_arena_alloc(&p->arena, 1, sizeof(*p->mappings), err);
    if (!p->mappings)
        return CP_ENOMEM;
    p->mappings[0].id = 1;
    p->n_mappings = 1;
    for (uint32_t i = 0; i < p->n_locations; i++)
        p->locations[i].mapping = 0;
    return CP_OK;
}

/* Applies -buildid and the binary of the command line to a new profile. */
static enum cp_status name_binary(void *loader, const struct cp_source *s,
                                  struct cp_error *err)
{
    struct loader *l = loader;
    struct cp_profile *p = s->profile;
    const char *id = l->c->build_id;

    if (p->n_mappings == 0 && add_mapping(p, err) != CP_OK)
        return CP_ENOMEM;
    if (l->binary)
        p->mappings[0].file =
            cp_strtab_add(&p->strings, l->binary, strlen(l->binary), err);
    if (*id && !p->mappings[0].build_id)
        p->mappings[0].build_id =
            cp_strtab_add(&p->strings, id, strlen(id), err);
    if (p->mappings[0].file == CP_NO_STR ||
        p->mappings[0].build_id == CP_NO_STR ||
        cp_locate_binaries(p, l->warn, l->context, err) != CP_OK)
        return CP_ENOMEM;
    return s->fetch ? cp_remote_note(&l->remote, p, s->name, err) : CP_OK;
}

/* Returns source - base; frees both. */
static struct cp_profile *subtract(const struct cp_command *c,
                                   struct cp_profile *source,
                                   struct cp_profile *base,
                                   struct cp_error *err)
{
    struct cp_profile *pair[2] = { source, base };
    enum cp_status status = CP_OK;

    if (c->diff_bases.n > 0)
        status = cp_base_mark(base, err);
    if (status == CP_OK && c->options.normalize)
        status = cp_scale_normalize(source, base, err);
    if (status == CP_OK)
        status = cp_scale_all(base, -1, err);
    if (status == CP_OK)
        return cp_source_combine(pair, 2, err);
    cp_profile_free(source);
    cp_profile_free(base);
    return NULL;
}

static enum cp_status add_comment(struct cp_profile *p, const char *text,
                                  struct cp_error *err)
{
    uint32_t *comments = cp_arena_alloc(&p->arena, (size_t)p->n_comments + 1,
                                        sizeof(*comments), err);

    if (!comments)
        return CP_ENOMEM;
    if (p->n_comments)
        memcpy(comments, p->comments, p->n_comments * sizeof(*comments));
    comments[p->n_comments] =
        cp_strtab_add(&p->strings, text, strlen(text), err);
    if (comments[p->n_comments] == CP_NO_STR)
        return CP_ENOMEM;
    p->comments = comments;
    p->n_comments++;
    return CP_OK;
}

/*
 * Drops the frames that the profile lists. An invalid list only causes a
 * warning.
 */
static enum cp_status prune(const struct loader *l, struct cp_profile *p,
                            struct cp_error *err)
{
    struct cp_error why = { 0 };
    enum cp_status status = cp_prune_uninteresting(p, &why);

    if (cp_drop_frames_is_jemalloc(
            p)) /* Debian's jemalloc has no internal symbols */
        cp_prune_file(p, "libjemalloc.so");
    if (status != CP_EFORMAT && status != CP_EUSAGE) {
        if (err && status != CP_OK)
            *err = why;
        return status;
    }
    cp_error_prefix(&why,
                    "cannot apply the profile's list of frames to drop: ");
    l->warn(l->context, why.msg);
    return CP_OK;
}

static enum cp_status finish(const struct loader *l, struct cp_profile *p,
                             struct cp_error *err)
{
    const struct cp_command *c = l->c;
    enum cp_status status;

    if (c->all_frames)
        p->drop_frames = p->keep_frames = 0;
    status = prune(l, p, err);
    if (status == CP_OK && *c->comment)
        status = add_comment(p, c->comment, err);
    return status;
}

/* Whether the file starts like an ELF, Mach-O or PE program. */
static bool is_binary(const char *name)
{
    static const char magic[][4] = {
        { 0x7f, 'E', 'L', 'F' },
        { '\xfe', '\xed', '\xfa', '\xce' },
        { '\xfe', '\xed', '\xfa', '\xcf' },
        { '\xce', '\xfa', '\xed', '\xfe' },
        { '\xcf', '\xfa', '\xed', '\xfe' },
        { '\xca', '\xfe', '\xba', '\xbe' },
    };
    char begin[4] = { 0 };
    struct stat st;
    bool is_file = stat(name, &st) == 0 && S_ISREG(st.st_mode);
    FILE *f =
        is_file ? fopen(name, "re") : NULL; /* peeking would consume a pipe */
    size_t n = f ? fread(begin, 1, sizeof(begin), f) : 0;
    bool found = n >= 2 && memcmp(begin, "MZ", 2) == 0;

    if (f)
        (void)fclose(f);
    for (size_t i = 0; n == 4 && i < sizeof(magic) / sizeof(magic[0]); i++)
        found |= memcmp(begin, magic[i], 4) == 0;
    return found;
}

static bool is_address(const char *name)
{
    struct stat st;

    return stat(name, &st) != 0 && cp_url_is_url(name);
}

/* Creates a request for each source that is an address. */
static void list_fetches(struct loader *l, struct cp_source_set *set)
{
    for (size_t i = 0; i < set->n; i++) {
        struct cp_source *s = &set->sources[i];

        if (s->is_in_folder || s->is_read || !is_address(s->name))
            continue;
        s->fetch = &l->fetches[l->n_fetches++];
        s->fetch->name = s->name;
        s->fetch->is_named = true;
        s->fetch->owner = s;
    }
}

/* Reads the profiles fetched so far, while other requests run. */
static void on_arrived(void *context, struct cp_fetch *const *list, size_t n)
{
    struct cp_source *fresh[CP_SOURCE_BATCH];
    size_t n_fresh = 0;

    (void)context;
    for (size_t i = 0; i < n; i++) {
        fresh[n_fresh++] = list[i]->owner;
        if (n_fresh < CP_SOURCE_BATCH && i + 1 < n)
            continue;
        cp_source_read(fresh, n_fresh);
        n_fresh = 0;
    }
}

static void warn_through(void *context, const char *line)
{
    const struct loader *l = context;

    l->warn(l->context, line);
}

static enum cp_status fetch_all(struct loader *l, struct cp_error *err)
{
    const struct cp_command *c = l->c;
    const struct cp_fetch_options options = { c->seconds, c->timeout,
                                              c->tls_cert, c->tls_key,
                                              c->tls_ca };
    const struct cp_fetch_events events = { warn_through, on_arrived, l };

    l->fetches = cp_arena_alloc(&l->arena, l->sources.n + l->bases.n,
                                sizeof(*l->fetches), err);
    if (!l->fetches)
        return CP_ENOMEM;
    list_fetches(l, &l->sources);
    list_fetches(l, &l->bases);
    if (l->n_fetches > 0)
        cp_fetch_all(l->fetches, l->n_fetches, &options, &events);
    return CP_OK;
}

/* Symbolizes the profile; frees it on failure. */
static struct cp_profile *symbolize(const struct loader *l,
                                    struct cp_profile *p, struct cp_error *err)
{
    if (p &&
        cp_symbolize(p, l->c, &l->remote, l->warn, l->context, err) != CP_OK) {
        cp_profile_free(p);
        return NULL;
    }
    if (p)
        cp_remote_restore_names(p);
    return p;
}

/*
 * Loads a set as one profile. Saves a copy of fetched profiles with symbols,
 * because the server may run a different binary later.
 */
static struct cp_profile *load_set(struct loader *l, struct cp_source_set *set,
                                   struct cp_error *err)
{
    struct cp_profile *p = cp_source_set_merge(set, err);

    if (l->n_fetches > 0)
        p = symbolize(l, p, err);
    if (p && set->has_fetched && set->is_saved)
        cp_save_profile(p, set->warn, set->context);
    return p;
}

/*
 * Reads, merges, saves and subtracts after the fetch. Without fetched profiles
 * it symbolizes once, at the end.
 */
static struct cp_profile *combine_all(struct loader *l, struct cp_error *err)
{
    struct cp_profile *p = load_set(l, &l->sources, err), *base;

    if (p && l->bases.n > 0) {
        base = load_set(l, &l->bases, err);
        if (!base)
            cp_profile_free(p);
        p = base ? subtract(l->c, p, base, err) : NULL;
    }
    if (l->n_fetches == 0)
        p = symbolize(l, p, err);
    if (p && finish(l, p, err) != CP_OK) {
        cp_profile_free(p);
        p = NULL;
    }
    return p;
}

static void start_set(struct loader *l, struct cp_source_set *set,
                      const char *what)
{
    *set = (struct cp_source_set){ .what = what,
                                   .how = { .heap = &l->c->heap,
                                            .fallback = cp_foreign_read },
                                   .warn = warn_through,
                                   .prepare = name_binary,
                                   .context = l,
                                   .is_saved = !l->c->no_save };
}

struct cp_profile *cp_sources_load(const struct cp_command *c,
                                   void (*warn)(void *context,
                                                const char *line),
                                   void *context, struct cp_error *err)
{
    struct loader l = { .c = c, .warn = warn, .context = context };
    const struct cp_list *bases = c->bases.n ? &c->bases : &c->diff_bases;
    bool has_binary = c->sources.n > 1 && is_binary(c->sources.items[0]);
    struct cp_profile *p = NULL;

    l.binary = has_binary ? c->sources.items[0] : NULL;
    start_set(&l, &l.sources, "source");
    start_set(&l, &l.bases, "base");
    if (cp_source_set_list(&l.sources, c->sources.items + has_binary,
                           c->sources.n - has_binary, err) == CP_OK &&
        cp_source_set_list(&l.bases, bases->items, bases->n, err) == CP_OK &&
        fetch_all(&l, err) == CP_OK)
        p = combine_all(&l, err);
    for (size_t i = 0; i < l.n_fetches; i++)
        cp_bytes_release(&l.fetches[i].body);
    cp_source_set_release(&l.sources);
    cp_source_set_release(&l.bases);
    cp_remote_release(&l.remote);
    cp_arena_release(&l.arena);
    return p;
}
