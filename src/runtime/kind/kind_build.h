/*
 * kind_build - builds the profile of a kind from a description of its types.
 *
 * Snapshot kinds need no recording; their begin and cancel are
 * cp_kind_begin_snapshot and cp_kind_cancel_snapshot.
 *
 * Context: the endpoint thread, or the thread that writes a profile.
 * Locking: none. Failure: CP_ENOMEM, or the status of fill.
 */
#ifndef CP_KIND_BUILD_H
#define CP_KIND_BUILD_H

#include <stdint.h>

#include "base/error.h"

struct cp_builder;
struct cp_kind_request;
struct cp_profile;

struct cp_kind_form {
    const char *types[5][2];  /* name and unit, ended by NULL */
    const char *period[2];    /* type and unit of the period */
    const char *default_type; /* NULL means none */
    /* Adds samples and comments. */
    enum cp_status (*fill)(struct cp_builder *b, void *context,
                           struct cp_error *err);
};

enum cp_status cp_kind_build(const struct cp_kind_form *form, int64_t period,
                             void *context, struct cp_profile **out,
                             struct cp_error *err);

enum cp_status cp_kind_begin_snapshot(const struct cp_kind_request *request,
                                      void **out_recording,
                                      struct cp_error *err);
void cp_kind_cancel_snapshot(void *recording);

#endif
