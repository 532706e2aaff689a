/* source_set.c - reads sources in parallel and merges them group by group. */
#include "tool/input/source_set.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/parallel.h"
#include "profile/model/profile.h"
#include "profile/model/stack_pool.h"
#include "profile/transform/merge.h"
#include "profile/transform/scale.h"
#include "tool/cli/folder.h"
#include "tool/cli/interrupt.h"
#include "tool/cli/url.h"
#include "tool/input/fetch.h"
#include "tool/input/save.h"

#define MAX_REPORTED 10

/*
 * Minimum number of files for a shared array of frames, and its size: 1 GB of
 * address space, used as it fills.
 */
#define POOL_SOURCES 8
#define POOL_FRAMES ((uint64_t)256 << 20)

/* Adjacent sources of the list, merged as soon as the last of them is read. */
struct cp_source_group {
    size_t n_unread;
    bool is_merged;
    struct cp_profile *sum; /* NULL if none of them is readable */
    struct cp_stack_pool pool;
};

static struct cp_source_group *group_of(const struct cp_source *s)
{
    return &s->set->groups[(size_t)(s - s->set->sources) / CP_SOURCE_BATCH];
}

static void read_source(struct cp_source *s, size_t n_threads)
{
    struct cp_load_options how = s->set->how;
    struct cp_bytes bytes = { 0 };
    enum cp_status status = CP_OK;

    s->is_read = true;
    how.n_threads = n_threads;
    how.pool = &group_of(s)->pool;
    if (s->fetch) {
        s->err = s->fetch->err;
        status = s->err.status;
        bytes = s->fetch->body;
        s->fetch->body = (struct cp_bytes){ 0 };
    } else if (strcmp(s->name, "-") == 0) {
        status = cp_bytes_read_fd(&bytes, STDIN_FILENO, CP_LOAD_LIMIT, &s->err);
    } else {
        s->profile = cp_load_file(s->name, &how, &s->err);
        return;
    }
    if (status == CP_OK)
        s->profile = cp_load_as(&bytes, &how, &s->err);
    cp_bytes_release(&bytes);
}

/* Sources that are read together. */
struct reading {
    struct cp_source **list;
    size_t n_threads; /* threads for each source */
};

static void read_piece(void *context, size_t i)
{
    const struct reading *r = context;

    read_source(r->list[i], r->n_threads);
}

/*
 * Reports why a source is skipped; limits the reports about files of
 * directories.
 */
static void report_failed(struct cp_source_set *set, const struct cp_source *s)
{
    char line[1024];

    if (s->is_in_folder && ++set->n_reported > MAX_REPORTED)
        return;
    (void)snprintf(line, sizeof(line), "%s: %s",
                   cp_url_redact(s->name, &set->arena), s->err.msg);
    set->warn(set->context, line);
}

static void report_group(struct cp_source_set *set, size_t g)
{
    for (size_t i = g * CP_SOURCE_BATCH;
         i < (g + 1) * CP_SOURCE_BATCH && i < set->n; i++)
        if (set->sources[i].err.status != CP_OK)
            report_failed(set, &set->sources[i]);
}

static void report_suppressed(struct cp_source_set *set)
{
    char line[128];

    if (set->n_reported > MAX_REPORTED) {
        (void)snprintf(line, sizeof(line),
                       "... and %zu more files are not profiles",
                       set->n_reported - MAX_REPORTED);
        set->warn(set->context, line);
    }
    set->n_reported = 0;
}

struct cp_profile *cp_source_combine(struct cp_profile **profiles, size_t n,
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

/* Saves fetched profiles one by one when they cannot be merged. */
static void save_singly(const struct cp_source_set *set, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (set->sources[i].fetch && set->sources[i].profile && set->is_saved)
            cp_save_profile(set->sources[i].profile, set->warn, set->context);
}

/* Collects the usable profiles of a group; returns their number. */
static size_t collect_profiles(struct cp_source_set *set, size_t from,
                               size_t to, struct cp_profile **profiles)
{
    size_t n = 0;

    for (size_t i = from; i < to; i++) {
        struct cp_source *s = &set->sources[i];

        if (s->profile && set->prepare(set->context, s, &s->err) != CP_OK) {
            cp_profile_free(s->profile);
            s->profile = NULL;
        }
        if (s->profile)
            profiles[n++] = s->profile;
        set->has_fetched |= s->profile && s->fetch;
    }
    return n;
}

/* Merges the sources of a group after all of them are read. */
static void merge_group(struct cp_source_set *set, size_t g)
{
    size_t from = g * CP_SOURCE_BATCH;
    size_t to =
        from + CP_SOURCE_BATCH < set->n ? from + CP_SOURCE_BATCH : set->n;
    struct cp_profile *profiles[CP_SOURCE_BATCH];
    size_t n = collect_profiles(set, from, to, profiles);

    set->groups[g].is_merged = true;
    set->n_read += n;
    if (n == 0)
        return;
    if (cp_make_compatible(profiles, n, &set->err) != CP_OK) {
        save_singly(set, from, to);
        return;
    }
    for (size_t i = from; i < to; i++)
        set->sources[i].profile = NULL;
    if (n > 1) {
        set->groups[g].sum =
            cp_merge_in_pool(profiles, n, &set->groups[g].pool, &set->err);
        cp_stack_pool_release(&set->groups[g].pool);
        return;
    }
    set->groups[g].sum = profiles[0];
    cp_arena_take(&profiles[0]->arena, &set->groups[g].pool.arena);
}

/*
 * Whether address space is unlimited, so that reserving too much costs nothing.
 */
static bool is_space_free(void)
{
    struct rlimit max;

    return getrlimit(RLIMIT_AS, &max) == 0 && max.rlim_cur == RLIM_INFINITY;
}

/* Reserves shared arrays for groups with many sources. */
static void make_pools(struct cp_source **list, size_t n)
{
    if (n < POOL_SOURCES || !is_space_free())
        return;
    for (size_t i = 0; i < n; i++) {
        struct cp_source_group *g = group_of(list[i]);

        if (!g->pool.locs && g->n_unread >= POOL_SOURCES)
            (void)cp_stack_pool_init(&g->pool, POOL_FRAMES);
    }
}

void cp_source_read(struct cp_source **list, size_t n)
{
    size_t width = cp_parallel_width();
    struct reading r = { list, n > 0 && n < width ? width / n : 1 };

    make_pools(list, n);
    cp_parallel_run(n, read_piece, &r);
    for (size_t i = 0; i < n; i++) {
        struct cp_source_set *set = list[i]->set;
        struct cp_source_group *g = group_of(list[i]);

        if (--g->n_unread == 0 && set->err.status == CP_OK)
            merge_group(set, (size_t)(g - set->groups));
    }
}

/* Reads the files of a group; fetched sources are already read. */
static void read_files(struct cp_source_set *set, size_t g)
{
    size_t from = g * CP_SOURCE_BATCH;
    size_t to =
        from + CP_SOURCE_BATCH < set->n ? from + CP_SOURCE_BATCH : set->n;
    struct cp_source *list[CP_SOURCE_BATCH];
    size_t n = 0;

    for (size_t i = from; i < to; i++)
        if (!set->sources[i].is_read)
            list[n++] = &set->sources[i];
    if (n > 0)
        cp_source_read(list, n);
    else if (!set->groups[g].is_merged)
        merge_group(set, g);
}

/* Adds the sum of a group to the sum of the groups before it. */
static void add_group(struct cp_source_set *set, size_t g,
                      struct cp_profile **sum)
{
    struct cp_profile *pair[2] = { *sum, set->groups[g].sum };

    set->groups[g].sum = NULL;
    if (pair[0] && pair[1])
        *sum = cp_source_combine(pair, 2, &set->err);
    else if (pair[1])
        *sum = pair[1];
}

struct cp_profile *cp_source_set_merge(struct cp_source_set *set,
                                       struct cp_error *err)
{
    struct cp_profile *sum = NULL;
    char line[128];

    for (size_t g = 0; g < set->n_groups; g++) {
        if (set->err.status == CP_OK && cp_interrupt_seen())
            (void)cp_error_set(&set->err, CP_EIO, "interrupted");
        if (set->err.status == CP_OK)
            read_files(set, g);
        report_group(set, g);
        if (set->err.status == CP_OK)
            add_group(set, g, &sum);
    }
    report_suppressed(set);
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
        set->warn(set->context, line);
    }
    return sum;
}

static struct cp_source *add_source(struct cp_source_set *set, const char *name,
                                    struct cp_error *err)
{
    struct cp_source *s;

    if (cp_arena_reserve(&set->arena, &set->sources, set->n, &set->cap,
                         set->n + 1, sizeof(*set->sources), err) != CP_OK)
        return NULL;
    s = &set->sources[set->n++];
    *s = (struct cp_source){ .set = set, .name = name };
    return s;
}

/*
 * Adds the files in a directory. An empty directory is added itself, to be
 * reported as an error.
 */
static enum cp_status add_folder(struct cp_source_set *set, const char *name,
                                 struct cp_error *err)
{
    struct cp_error why = { 0 };
    size_t n = 0;
    const char **files = cp_folder_files(name, &n, &set->arena, &why);
    struct cp_source *s;

    for (size_t i = 0; i < n; i++) {
        s = add_source(set, files[i], err);
        if (!s)
            return CP_ENOMEM;
        s->is_in_folder = true;
    }
    if (files)
        return CP_OK;
    s = add_source(set, name, err);
    if (!s)
        return CP_ENOMEM;
    s->is_read = true;
    s->err = why;
    return CP_OK;
}

enum cp_status cp_source_set_list(struct cp_source_set *set,
                                  const char *const *names, size_t n,
                                  struct cp_error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (cp_folder_exists(names[i])) {
            if (add_folder(set, names[i], err) != CP_OK)
                return CP_ENOMEM;
        } else if (!add_source(set, names[i], err)) {
            return CP_ENOMEM;
        }
    }
    set->n_groups = (set->n + CP_SOURCE_BATCH - 1) / CP_SOURCE_BATCH;
    set->groups =
        cp_arena_alloc(&set->arena, set->n_groups, sizeof(*set->groups), err);
    if (!set->groups)
        return CP_ENOMEM;
    for (size_t i = 0; i < set->n; i++)
        set->groups[i / CP_SOURCE_BATCH].n_unread += !set->sources[i].is_read;
    return CP_OK;
}

void cp_source_set_release(struct cp_source_set *set)
{
    for (size_t i = 0; i < set->n; i++)
        cp_profile_free(set->sources[i].profile);
    for (size_t g = 0; set->groups && g < set->n_groups; g++)
        cp_profile_free(set->groups[g].sum);
    for (size_t g = 0; set->groups && g < set->n_groups; g++)
        cp_stack_pool_release(&set->groups[g].pool);
    cp_arena_release(&set->arena);
}
