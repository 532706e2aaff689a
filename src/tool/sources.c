/* sources.c - see sources.h. */
#include "tool/sources.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "profile/label_table.h"
#include "profile/load.h"
#include "profile/merge.h"
#include "profile/prune.h"
#include "profile/scale.h"
#include "tool/fetch.h"
#include "tool/locate.h"
#include "tool/remote_symbols.h"
#include "tool/save.h"
#include "tool/symbolize.h"
#include "tool/url.h"

#define BATCH 128 /* profiles in memory at once */

/* A name, and its bytes where they were fetched. */
struct source {
    const char *name;
    struct cp_fetch *fetch; /* NULL for a file */
};

/* A batch of sources being read. */
struct batch {
    struct source *sources;
    struct cp_profile *profiles[BATCH];
    struct cp_error errors[BATCH];
    size_t n;
};

struct loader {
    const struct cp_command *c;
    const char *binary; /* takes the place of the first mapping's file */
    struct cp_remote *remote;
    void (*warn)(void *context, const char *line);
    void *context;
};

static struct cp_profile *read_source(const struct source *s,
                                      struct cp_error *err)
{
    struct cp_bytes file = { 0 };
    struct cp_profile *p = NULL;
    enum cp_status status = CP_OK;
    struct stat st;

    if (s->fetch) {
        status = s->fetch->err.status;
        *err = s->fetch->err;
        file = s->fetch->body;
        s->fetch->body = (struct cp_bytes){ 0 };
    } else if (strcmp(s->name, "-") == 0) {
        status = cp_bytes_read_fd(&file, STDIN_FILENO, CP_LOAD_LIMIT, err);
    } else if (stat(s->name, &st) == 0 && S_ISDIR(st.st_mode)) {
        status = cp_error_set(err, CP_EIO, "is a directory");
    } else {
        status = cp_bytes_read_file(&file, s->name, CP_LOAD_LIMIT, err);
    }
    if (status == CP_OK)
        p = cp_load(&file, err);
    cp_bytes_release(&file);
    return p;
}

static void read_piece(void *context, size_t i)
{
    struct batch *b = context;

    b->profiles[i] = read_source(&b->sources[i], &b->errors[i]);
}

/* A profile without mappings gets one, so that a binary can be named. */
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

/* Applies -buildid and the binary of the command line to a fresh profile. */
static enum cp_status name_binary(const struct loader *l, struct cp_profile *p,
                                  const struct source *s, struct cp_error *err)
{
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
    return s->fetch ? cp_remote_note(l->remote, p, s->name, err) : CP_OK;
}

/* Drops the failed ones with a warning; returns how many are left. */
static size_t collect(const struct loader *l, struct batch *b)
{
    size_t n = 0;
    char line[1024];

    for (size_t i = 0; i < b->n; i++) {
        struct cp_profile *p = b->profiles[i];

        b->profiles[i] = NULL;
        if (p && name_binary(l, p, &b->sources[i], &b->errors[i]) == CP_OK) {
            b->profiles[n++] = p;
            continue;
        }
        cp_profile_free(p);
        (void)snprintf(line, sizeof(line), "%s: %s", b->sources[i].name,
                       b->errors[i].msg);
        l->warn(l->context, line);
    }
    return n;
}

/* One profile of several; they are consumed. */
static struct cp_profile *combine(struct cp_profile **profiles, size_t n,
                                  struct cp_error *err)
{
    struct cp_profile *p = NULL;

    if (cp_make_compatible(profiles, n, err) == CP_OK) {
        if (n > 1)
            return cp_merge(profiles, n, err);
        p = profiles[0];
        profiles[0] = NULL;
    }
    for (size_t i = 0; i < n; i++)
        cp_profile_free(profiles[i]);
    return p;
}

/* Reads up to BATCH sources and adds them to *sum. */
static enum cp_status add_batch(const struct loader *l, struct batch *b,
                                struct cp_profile **sum, size_t *n_read,
                                struct cp_error *err)
{
    struct cp_profile *pair[2];
    size_t n;

    cp_parallel_run(b->n, read_piece, b);
    n = collect(l, b);
    *n_read += n;
    if (n == 0)
        return CP_OK;
    pair[1] = combine(b->profiles, n, err);
    if (!pair[1])
        return CP_EFORMAT;
    pair[0] = *sum;
    *sum = pair[0] ? combine(pair, 2, err) : pair[1];
    return *sum ? CP_OK : CP_EFORMAT;
}

static struct cp_profile *read_all(const struct loader *l,
                                   struct source *sources, size_t n,
                                   const char *what, struct cp_error *err)
{
    struct batch *b = cp_alloc(1, sizeof(*b), err);
    struct cp_profile *sum = NULL;
    enum cp_status status = b ? CP_OK : CP_ENOMEM;
    size_t n_read = 0;
    char line[128];

    for (size_t i = 0; status == CP_OK && i < n; i += BATCH) {
        *b = (struct batch){ .sources = sources + i,
                             .n = n - i < BATCH ? n - i : BATCH };
        status = add_batch(l, b, &sum, &n_read, err);
        if (status != CP_OK) {
            cp_error_prefix(err, "problem fetching %s profiles: ", what);
            cp_profile_free(sum);
            sum = NULL;
        }
    }
    cp_free(b);
    if (status == CP_OK && n_read == 0)
        (void)cp_error_set(err, CP_EIO, "failed to fetch any %s profiles",
                           what);
    if (status == CP_OK && n_read > 0 && n_read < n) {
        (void)snprintf(line, sizeof(line), "Fetched %zu %s profiles out of %zu",
                       n_read, what, n);
        l->warn(l->context, line);
    }
    return sum;
}

/* Gives every sample the label that marks a base. */
static enum cp_status mark_as_base(struct cp_profile *p, struct cp_error *err)
{
    uint32_t key = cp_strtab_add(&p->strings, "pprof::base", 11, err);
    uint32_t yes = cp_strtab_add(&p->strings, "true", 4, err);
    uint32_t n_sets = p->n_label_sets;
    uint32_t *marked = cp_alloc(n_sets, sizeof(*marked), err);
    struct cp_label *room =
        cp_alloc((size_t)p->n_labels + 1, sizeof(*room), err);
    struct cp_label_table table = { 0 };
    enum cp_status status = CP_ENOMEM;

    if (key != CP_NO_STR && yes != CP_NO_STR && marked && room &&
        cp_label_table_init(&table, p, err) == CP_OK)
        status = CP_OK;
    for (uint32_t i = 0; status == CP_OK && i < n_sets; i++) {
        struct cp_label_set set = p->label_sets[i];
        uint32_t n = 0;

        for (uint32_t k = 0; k < set.n_labels; k++)
            if (p->labels[set.labels + k].key != key ||
                p->labels[set.labels + k].str == CP_NONE)
                room[n++] = p->labels[set.labels + k];
        room[n++] = (struct cp_label){ .key = key, .str = yes };
        marked[i] = cp_label_table_add(&table, room, n, err);
        status = marked[i] == CP_NONE ? CP_ENOMEM : CP_OK;
    }
    for (uint32_t i = 0; status == CP_OK && i < p->n_samples; i++)
        p->samples[i].label_set = marked[p->samples[i].label_set];
    cp_label_table_release(&table);
    cp_free(room);
    cp_free(marked);
    return status;
}

/* source - base; both are consumed. */
static struct cp_profile *subtract(const struct cp_command *c,
                                   struct cp_profile *source,
                                   struct cp_profile *base,
                                   struct cp_error *err)
{
    struct cp_profile *pair[2] = { source, base };
    enum cp_status status = CP_OK;

    if (c->diff_bases.n > 0)
        status = mark_as_base(base, err);
    if (status == CP_OK && c->options.normalize)
        status = cp_scale_normalize(source, base, err);
    if (status == CP_OK)
        status = cp_scale_all(base, -1, err);
    if (status == CP_OK)
        return combine(pair, 2, err);
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

/* The profile's own list of frames to drop may be wrong: that is no reason
 * not to look at it. */
static enum cp_status prune(const struct loader *l, struct cp_profile *p,
                            struct cp_error *err)
{
    struct cp_error why = { 0 };
    enum cp_status status = cp_prune_uninteresting(p, &why);

    if (status != CP_EFORMAT && status != CP_EUSAGE) {
        if (err && status != CP_OK)
            *err = why;
        return status;
    }
    cp_error_prefix(&why, "frames are not dropped: ");
    l->warn(l->context, why.msg);
    return CP_OK;
}

/* Names for the addresses; frees the profile if that fails. */
static struct cp_profile *symbolize(const struct loader *l,
                                    struct cp_profile *p, struct cp_error *err)
{
    if (p &&
        cp_symbolize(p, l->c, l->remote, l->warn, l->context, err) != CP_OK) {
        cp_profile_free(p);
        return NULL;
    }
    if (p)
        cp_remote_forget(p);
    return p;
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

/* Whether the file begins as an ELF, Mach-O or PE program does. */
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
    FILE *f = is_file ? fopen(name, "re") : NULL; /* a pipe would lose them */
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

    return stat(name, &st) != 0 && cp_url_is_one(name);
}

/* Lists names; those that are addresses get a place in `fetches`. */
static void list_sources(const char *const *names, size_t n,
                         struct source *sources, struct cp_fetch *fetches,
                         size_t *n_fetches)
{
    for (size_t i = 0; i < n; i++) {
        sources[i] = (struct source){ .name = names[i] };
        if (!is_address(names[i]))
            continue;
        sources[i].fetch = &fetches[*n_fetches];
        fetches[(*n_fetches)++].name = names[i];
    }
}

/*
 * Everything but the fetching: reads, merges, keeps a copy, subtracts. What
 * was fetched gets its names before the copy is kept, since the server may be
 * another one tomorrow; else once, at the end.
 */
static struct cp_profile *combine_all(const struct loader *l,
                                      struct source *sources, size_t n,
                                      size_t n_bases, bool is_fetched,
                                      struct cp_error *err)
{
    struct cp_profile *p = read_all(l, sources, n, "source", err), *base;

    if (is_fetched)
        p = symbolize(l, p, err);
    if (p && is_fetched && !l->c->no_save)
        cp_save_profile(p, l->warn, l->context);
    if (p && n_bases > 0) {
        base = read_all(l, sources + n, n_bases, "base", err);
        if (is_fetched)
            base = symbolize(l, base, err);
        if (!base)
            cp_profile_free(p);
        p = base ? subtract(l->c, p, base, err) : NULL;
    }
    if (!is_fetched)
        p = symbolize(l, p, err);
    if (p && finish(l, p, err) != CP_OK) {
        cp_profile_free(p);
        p = NULL;
    }
    return p;
}

struct cp_profile *cp_sources_load(const struct cp_command *c,
                                   void (*warn)(void *context,
                                                const char *line),
                                   void *context, struct cp_error *err)
{
    struct cp_remote remote = { 0 };
    struct loader l = {
        .c = c, .remote = &remote, .warn = warn, .context = context
    };
    const struct cp_list *bases = c->bases.n ? &c->bases : &c->diff_bases;
    struct cp_fetch_options fetching = { c->seconds, c->timeout, c->tls_cert,
                                         c->tls_key, c->tls_ca };
    bool has_binary = c->sources.n > 1 && is_binary(c->sources.items[0]);
    const char *const *names = c->sources.items + has_binary;
    size_t n = c->sources.n - has_binary, n_fetches = 0;
    struct source *sources = cp_alloc(n + bases->n, sizeof(*sources), err);
    struct cp_fetch *fetches = cp_alloc(n + bases->n, sizeof(*fetches), err);
    struct cp_profile *p = NULL;

    l.binary = has_binary ? c->sources.items[0] : NULL;
    if (sources && fetches) {
        list_sources(names, n, sources, fetches, &n_fetches);
        list_sources(bases->items, bases->n, sources + n, fetches, &n_fetches);
        if (n_fetches > 0)
            cp_fetch_all(fetches, n_fetches, &fetching, warn, context);
        p = combine_all(&l, sources, n, bases->n, n_fetches > 0, err);
    }
    for (size_t i = 0; fetches && i < n_fetches; i++)
        cp_bytes_release(&fetches[i].body);
    cp_remote_release(&remote);
    cp_free(fetches);
    cp_free(sources);
    return p;
}
