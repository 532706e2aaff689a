/*
 * source_set - reads a list of sources and merges them into one profile.
 *
 * Names become sources; a directory becomes the files in it. The caller decides
 * when each source is read (sources.c: a fetched one on arrival, files at the
 * end). A group of adjacent sources is merged, in the order of the list, as
 * soon as all of them are read.
 */
#ifndef CP_SOURCE_SET_H
#define CP_SOURCE_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/warn.h"
#include "profile/load/load.h"

struct cp_fetch;
struct cp_profile;

/* Maximum number of profiles merged at once, and so in memory together. */
#define CP_SOURCE_BATCH 128

struct cp_source_group;
struct cp_source_set;

/* A source and its profile or error. */
struct cp_source {
    struct cp_source_set *set;
    const char *name;
    struct cp_fetch *fetch; /* NULL for a file */
    bool is_in_folder;
    bool is_read; /* whether profile or err is set */
    struct cp_profile *profile;
    struct cp_error err;
};

/* Initialized by the caller up to `context`. Must not move. */
struct cp_source_set {
    const char *what; /* "source" or "base", for messages */
    cp_warn warn;
    /* Modifies a source's profile before the merge. */
    enum cp_status (*prepare)(void *context, const struct cp_source *s,
                              struct cp_error *err);
    void *context; /* argument of both callbacks */
    bool is_saved; /* save fetched profiles */
    struct cp_load_options how;

    struct cp_source *sources;
    size_t n, cap;
    struct cp_source_group *groups;
    size_t n_groups;
    size_t n_read;     /* sources that gave a profile */
    bool has_fetched;  /* some of them were fetched */
    size_t n_reported; /* reported files of directories that are not profiles */
    struct cp_error err; /* error of the first merge that failed */
    struct cp_arena arena;
};

/* Fills the set from names. */
enum cp_status cp_source_set_list(struct cp_source_set *set,
                                  const char *const *names, size_t n,
                                  struct cp_error *err);

/* Reads sources of any sets on all cores. */
void cp_source_read(struct cp_source **list, size_t n);

/*
 * Reads the remaining sources and merges all. Reports each unreadable source to
 * `warn` and skips it, as long as one is readable. Returns NULL with *err set
 * on failure.
 */
struct cp_profile *cp_source_set_merge(struct cp_source_set *set,
                                       struct cp_error *err);

/* Merges profiles into one and frees them. */
struct cp_profile *cp_source_combine(struct cp_profile **profiles, size_t n,
                                     struct cp_error *err);

void cp_source_set_release(struct cp_source_set *set);

#endif
