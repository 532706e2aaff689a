/*
 * kind_build - what the kinds of profile have in common when they are written.
 *
 * A kind that is told by a table says which types it has and what fills it;
 * cp_kind_build makes the profile. Kinds without a window of their own have
 * cp_kind_begin_snapshot and cp_kind_cancel_snapshot.
 */
#ifndef CP_KIND_BUILD_H
#define CP_KIND_BUILD_H

#include <stdint.h>

#include "base/error.h"

struct cp_builder;
struct cp_kind_request;
struct cp_profile;

struct cp_kind_form {
    const char *types[5][2]; /* names and units, ended by NULL */
    const char *period[2];
    const char *default_type; /* NULL: none is said */
    /* Adds samples, comments and whatever else there is. */
    enum cp_status (*fill)(struct cp_builder *b, void *context,
                           struct cp_error *err);
};

enum cp_status cp_kind_build(const struct cp_kind_form *form, int64_t period,
                             void *context, struct cp_profile **out,
                             struct cp_error *err);

enum cp_status cp_kind_begin_snapshot(const struct cp_kind_request *request,
                                      void **out_window, struct cp_error *err);
void cp_kind_cancel_snapshot(void *window);

#endif
