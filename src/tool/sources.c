/* sources.c - see sources.h. */
#include "tool/sources.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "profile/load.h"
#include "profile/merge.h"
#include "profile/prune.h"
#include "profile/scale.h"
#include "tool/base_mark.h"
#include "tool/content.h"
#include "tool/fetch.h"
#include "tool/folder.h"
#include "tool/interrupt.h"
#include "tool/save.h"
#include "tool/url.h"

#define BATCH 128 /* profiles that are merged at once */
#define MOST_TOLD                                                              \
    10 /* files of directories that are told to be no profiles                 \
        */

/* A name, and what came of it. */
struct source {
    const char *name;
    struct cp_fetch *fetch; /* NULL for a file */
    bool is_in_folder;
    bool is_read; /* then there is a profile, or the error that tells why not */
    struct cp_profile *profile;
    struct cp_error err;
};

/* Neighbours in a list of sources, merged as soon as the last is there. */
struct group {
    size_t n_unread;
    bool is_merged;
    struct cp_profile *sum; /* NULL if none of them could be read */
};

/* The sources, or the bases. */
struct set {
    const char *what;
    struct source *sources;
    size_t n, cap;
    struct group *groups;
    size_t n_groups, n_read;
    bool has_fetched;
    struct cp_error err; /* of the first merge that failed */
};

struct loader {
    const struct cp_command *c;
    const char *binary; /* takes the place of the first mapping's file */
    void (*warn)(void *context, const char *line);
    void *context;
    struct set sources, bases;
    struct cp_fetch *fetches;
    size_t n_fetches;
    size_t n_told; /* of MOST_TOLD */
    struct cp_arena arena;
};

static struct cp_profile *load(struct cp_bytes *bytes, struct cp_error *err)
{
    const char *other = cp_content_other(bytes->data, bytes->len);

    if (other) {
        (void)cp_error_set(err, CP_EFORMAT, "%s", other);
        cp_bytes_release(bytes);
        return NULL;
    }
    return cp_load(bytes, err);
}

static void read_source(struct source *s)
{
    struct cp_bytes bytes = { 0 };
    enum cp_status status = CP_OK;

    s->is_read = true;
    if (s->fetch) {
        s->err = s->fetch->err;
        status = s->err.status;
        bytes = s->fetch->body;
        s->fetch->body = (struct cp_bytes){ 0 };
    } else if (strcmp(s->name, "-") == 0) {
        status = cp_bytes_read_fd(&bytes, STDIN_FILENO, CP_LOAD_LIMIT, &s->err);
    } else {
        status = cp_bytes_read_file(&bytes, s->name, CP_LOAD_LIMIT, &s->err);
    }
    if (status == CP_OK)
        s->profile = load(&bytes, &s->err);
    cp_bytes_release(&bytes);
}

static void read_piece(void *list, size_t i)
{
    read_source(((struct source **)list)[i]);
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

/* Whether the text begins with a scheme and a colon, as addresses do. */
static bool has_scheme(struct cp_str text)
{
    uint32_t i = 0;

    while (i < text.len && (isalnum((unsigned char)text.ptr[i]) ||
                            (text.ptr[i] && strchr("+-.", text.ptr[i]))))
        i++;
    return i > 0 && i < text.len && isalpha((unsigned char)text.ptr[0]) &&
           text.ptr[i] == ':';
}

/* A mapping known only by where it was fetched from has no file. */
static void forget_addresses(struct cp_profile *p)
{
    for (uint32_t i = 0; i < p->n_mappings; i++)
        if (!p->mappings[i].build_id &&
            has_scheme(cp_profile_str(p, p->mappings[i].file)))
            p->mappings[i].file = 0;
}

/* Applies -buildid and the binary of the command line to a fresh profile. */
static enum cp_status name_binary(const struct loader *l, struct cp_profile *p,
                                  struct cp_error *err)
{
    const char *id = l->c->build_id;

    forget_addresses(p);
    if (p->n_mappings == 0 && add_mapping(p, err) != CP_OK)
        return CP_ENOMEM;
    if (l->binary)
        p->mappings[0].file =
            cp_strtab_add(&p->strings, l->binary, strlen(l->binary), err);
    if (*id && !p->mappings[0].build_id)
        p->mappings[0].build_id =
            cp_strtab_add(&p->strings, id, strlen(id), err);
    return p->mappings[0].file == CP_NO_STR ||
                   p->mappings[0].build_id == CP_NO_STR
               ? CP_ENOMEM
               : CP_OK;
}

/* Says why a source is left out; of many such in directories, of a few. */
static void tell_failed(struct loader *l, const struct source *s)
{
    char line[1024];

    if (s->is_in_folder && ++l->n_told > MOST_TOLD)
        return;
    (void)snprintf(line, sizeof(line), "%s: %s",
                   cp_url_hide(s->name, &l->arena), s->err.msg);
    l->warn(l->context, line);
}

static void tell_group(struct loader *l, const struct set *set, size_t g)
{
    for (size_t i = g * BATCH; i < (g + 1) * BATCH && i < set->n; i++)
        if (set->sources[i].err.status != CP_OK)
            tell_failed(l, &set->sources[i]);
}

static void tell_untold(struct loader *l)
{
    char line[128];

    if (l->n_told > MOST_TOLD) {
        (void)snprintf(line, sizeof(line),
                       "... and %zu more files are no profiles",
                       l->n_told - MOST_TOLD);
        l->warn(l->context, line);
    }
    l->n_told = 0;
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

/* What was fetched and does not go together is kept one by one. */
static void save_singly(const struct loader *l, const struct set *set,
                        size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (set->sources[i].fetch && set->sources[i].profile && !l->c->no_save)
            cp_save_profile(set->sources[i].profile, l->warn, l->context);
}

/* The profiles of a group that can be used; returns how many. */
static size_t take_profiles(const struct loader *l, struct set *set,
                            size_t from, size_t to,
                            struct cp_profile **profiles)
{
    size_t n = 0;

    for (size_t i = from; i < to; i++) {
        struct source *s = &set->sources[i];

        if (s->profile && name_binary(l, s->profile, &s->err) != CP_OK) {
            cp_profile_free(s->profile);
            s->profile = NULL;
        }
        if (s->profile)
            profiles[n++] = s->profile;
        set->has_fetched |= s->profile && s->fetch;
    }
    return n;
}

/* Merges the sources of a group, which are all read. */
static void merge_group(const struct loader *l, struct set *set, size_t g)
{
    size_t from = g * BATCH;
    size_t to = from + BATCH < set->n ? from + BATCH : set->n;
    struct cp_profile *profiles[BATCH];
    size_t n = take_profiles(l, set, from, to, profiles);

    set->groups[g].is_merged = true;
    set->n_read += n;
    if (n == 0)
        return;
    if (cp_make_compatible(profiles, n, &set->err) != CP_OK) {
        save_singly(l, set, from, to);
        return;
    }
    for (size_t i = from; i < to; i++)
        set->sources[i].profile = NULL;
    set->groups[g].sum = n > 1 ? cp_merge(profiles, n, &set->err) : profiles[0];
}

/* Reads some sources on all cores, and merges groups that are whole then. */
static void read_list(struct loader *l, struct source **list, size_t n)
{
    cp_parallel_run(n, read_piece, list);
    for (size_t i = 0; i < n; i++) {
        bool is_base = list[i] >= l->bases.sources &&
                       list[i] < l->bases.sources + l->bases.n;
        struct set *set = is_base ? &l->bases : &l->sources;
        size_t g = (size_t)(list[i] - set->sources) / BATCH;

        if (--set->groups[g].n_unread == 0 && set->err.status == CP_OK)
            merge_group(l, set, g);
    }
}

/* Reads the files of a group; what was fetched is there already. */
static void read_files(struct loader *l, struct set *set, size_t g)
{
    size_t from = g * BATCH;
    size_t to = from + BATCH < set->n ? from + BATCH : set->n;
    struct source *list[BATCH];
    size_t n = 0;

    for (size_t i = from; i < to; i++)
        if (!set->sources[i].is_read)
            list[n++] = &set->sources[i];
    if (n > 0)
        read_list(l, list, n);
    else if (!set->groups[g].is_merged)
        merge_group(l, set, g);
}

/* Adds the sum of a group to that of those before it. */
static void add_group(struct set *set, size_t g, struct cp_profile **sum)
{
    struct cp_profile *pair[2] = { *sum, set->groups[g].sum };

    set->groups[g].sum = NULL;
    if (pair[0] && pair[1])
        *sum = combine(pair, 2, &set->err);
    else if (pair[1])
        *sum = pair[1];
}

/* The rest of the way to one profile, or NULL with *err set. */
static struct cp_profile *read_set(struct loader *l, struct set *set,
                                   struct cp_error *err)
{
    struct cp_profile *sum = NULL;
    char line[128];

    for (size_t g = 0; g < set->n_groups; g++) {
        if (set->err.status == CP_OK && cp_interrupt_seen())
            (void)cp_error_set(&set->err, CP_EIO, "interrupted");
        if (set->err.status == CP_OK)
            read_files(l, set, g);
        tell_group(l, set, g);
        if (set->err.status == CP_OK)
            add_group(set, g, &sum);
    }
    tell_untold(l);
    if (set->err.status != CP_OK) {
        *err = set->err;
        cp_error_prefix(err, "problem fetching %s profiles: ", set->what);
        cp_profile_free(sum);
        return NULL;
    }
    if (set->n_read == 0)
        (void)cp_error_set(err, CP_EIO, "failed to fetch any %s profiles",
                           set->what);
    if (set->n_read > 0 && set->n_read < set->n) {
        (void)snprintf(line, sizeof(line), "Fetched %zu %s profiles out of %zu",
                       set->n_read, set->what, set->n);
        l->warn(l->context, line);
    }
    return sum;
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
        status = cp_base_mark(base, err);
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

static struct source *add_source(struct loader *l, struct set *set,
                                 const char *name, struct cp_error *err)
{
    struct source *s;

    if (cp_arena_reserve(&l->arena, &set->sources, set->n, &set->cap,
                         set->n + 1, sizeof(*set->sources), err) != CP_OK)
        return NULL;
    s = &set->sources[set->n++];
    *s = (struct source){ .name = name };
    return s;
}

/* The files in a directory; one that has none stands for itself. */
static enum cp_status add_folder(struct loader *l, struct set *set,
                                 const char *name, struct cp_error *err)
{
    struct cp_error why = { 0 };
    size_t n = 0;
    const char **files = cp_folder_files(name, &n, &l->arena, &why);
    struct source *s;

    for (size_t i = 0; i < n; i++) {
        s = add_source(l, set, files[i], err);
        if (!s)
            return CP_ENOMEM;
        s->is_in_folder = true;
    }
    if (files)
        return CP_OK;
    s = add_source(l, set, name, err);
    if (!s)
        return CP_ENOMEM;
    s->is_read = true;
    s->err = why;
    return CP_OK;
}

/* Lists names; those that are addresses will be fetched. */
static enum cp_status list_sources(struct loader *l, struct set *set,
                                   const char *const *names, size_t n,
                                   struct cp_error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (cp_folder_is_one(names[i])) {
            if (add_folder(l, set, names[i], err) != CP_OK)
                return CP_ENOMEM;
        } else if (!add_source(l, set, names[i], err)) {
            return CP_ENOMEM;
        }
    }
    set->n_groups = (set->n + BATCH - 1) / BATCH;
    set->groups =
        cp_arena_alloc(&l->arena, set->n_groups, sizeof(*set->groups), err);
    if (!set->groups)
        return CP_ENOMEM;
    for (size_t i = 0; i < set->n; i++)
        set->groups[i / BATCH].n_unread += !set->sources[i].is_read;
    return CP_OK;
}

/* Gives those that are addresses a place among the fetches. */
static void list_fetches(struct loader *l, struct set *set)
{
    for (size_t i = 0; i < set->n; i++) {
        struct source *s = &set->sources[i];

        if (s->is_in_folder || s->is_read || !is_address(s->name))
            continue;
        s->fetch = &l->fetches[l->n_fetches++];
        s->fetch->name = s->name;
        s->fetch->owner = s;
    }
}

/* Reads what has been fetched so far, while the rest is on its way. */
static void on_arrived(void *context, struct cp_fetch *const *list, size_t n)
{
    struct source *fresh[BATCH];
    size_t n_fresh = 0;

    for (size_t i = 0; i < n; i++) {
        fresh[n_fresh++] = list[i]->owner;
        if (n_fresh < BATCH && i + 1 < n)
            continue;
        read_list(context, fresh, n_fresh);
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

/* A set as one profile; a copy is kept of what was fetched. */
static struct cp_profile *load_set(struct loader *l, struct set *set,
                                   struct cp_error *err)
{
    struct cp_profile *p = read_set(l, set, err);

    if (p && set->has_fetched && !l->c->no_save)
        cp_save_profile(p, l->warn, l->context);
    return p;
}

/* Everything but the fetching: reads, merges, keeps a copy, subtracts. */
static struct cp_profile *combine_all(struct loader *l, struct cp_error *err)
{
    struct cp_profile *p = load_set(l, &l->sources, err), *base;

    if (p && l->bases.n > 0) {
        base = load_set(l, &l->bases, err);
        if (!base)
            cp_profile_free(p);
        p = base ? subtract(l->c, p, base, err) : NULL;
    }
    if (p && finish(l, p, err) != CP_OK) {
        cp_profile_free(p);
        p = NULL;
    }
    return p;
}

/* Profiles that a failure has left unused. */
static void release_set(struct set *set)
{
    for (size_t i = 0; i < set->n; i++)
        cp_profile_free(set->sources[i].profile);
    for (size_t g = 0; set->groups && g < set->n_groups; g++)
        cp_profile_free(set->groups[g].sum);
}

struct cp_profile *cp_sources_load(const struct cp_command *c,
                                   void (*warn)(void *context,
                                                const char *line),
                                   void *context, struct cp_error *err)
{
    struct loader l = { .c = c,
                        .warn = warn,
                        .context = context,
                        .sources = { .what = "source" },
                        .bases = { .what = "base" } };
    const struct cp_list *bases = c->bases.n ? &c->bases : &c->diff_bases;
    bool has_binary = c->sources.n > 1 && is_binary(c->sources.items[0]);
    struct cp_profile *p = NULL;

    l.binary = has_binary ? c->sources.items[0] : NULL;
    if (list_sources(&l, &l.sources, c->sources.items + has_binary,
                     c->sources.n - has_binary, err) == CP_OK &&
        list_sources(&l, &l.bases, bases->items, bases->n, err) == CP_OK &&
        fetch_all(&l, err) == CP_OK)
        p = combine_all(&l, err);
    for (size_t i = 0; i < l.n_fetches; i++)
        cp_bytes_release(&l.fetches[i].body);
    release_set(&l.sources);
    release_set(&l.bases);
    cp_arena_release(&l.arena);
    return p;
}
