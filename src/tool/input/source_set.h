/*
 * source_set - a list of sources on its way to one profile.
 *
 * Names become sources, directories the files in them. Each is read once, by
 * whom and when is the owner's choice (sources.c: what is fetched, as it
 * comes; files, at the end), and neighbours are merged as soon as the last of
 * them is there, in the order of the list.
 */
#ifndef CP_SOURCE_SET_H
#define CP_SOURCE_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/warn.h"
#include "profile/load/load.h"

struct cp_fetch;
struct cp_profile;

/* Profiles that are merged at once, and so are in memory together. */
#define CP_SOURCE_BATCH 128

struct cp_source_group;
struct cp_source_set;

/* A name, and what came of it. */
struct cp_source {
    struct cp_source_set *set;
    const char *name;
    struct cp_fetch *fetch; /* NULL for a file */
    bool is_in_folder;
    bool is_read; /* then there is a profile, or the error that tells why not */
    struct cp_profile *profile;
    struct cp_error err;
};

/* Starts with the owner's part filled in; it must not move. */
struct cp_source_set {
    const char *what; /* "source" or "base", for messages */
    cp_warn warn;
    /* Changes a source's profile before it is merged. */
    enum cp_status (*prepare)(void *context, const struct cp_source *s,
                              struct cp_error *err);
    void *context; /* of both */
    bool is_saved; /* what was fetched is to be kept */
    struct cp_load_options how;

    struct cp_source *sources;
    size_t n, cap;
    struct cp_source_group *groups;
    size_t n_groups;
    size_t n_read;       /* sources that gave a profile */
    bool has_fetched;    /* some of these by address */
    size_t n_told;       /* files of directories that were no profiles */
    struct cp_error err; /* of the first merge that failed */
    struct cp_arena arena;
};

/* Fills the set. */
enum cp_status cp_source_set_list(struct cp_source_set *set,
                                  const char *const *names, size_t n,
                                  struct cp_error *err);

/* Reads sources, of any sets, on all cores. */
void cp_source_read(struct cp_source **list, size_t n);

/*
 * Reads what is not read yet and merges all. Sources that cannot be read are
 * told, a line each, and left out, as long as one is left. NULL with *err
 * set on failure.
 */
struct cp_profile *cp_source_set_merge(struct cp_source_set *set,
                                       struct cp_error *err);

/* One profile of several; they are consumed. */
struct cp_profile *cp_source_combine(struct cp_profile **profiles, size_t n,
                                     struct cp_error *err);

void cp_source_set_release(struct cp_source_set *set);

#endif
