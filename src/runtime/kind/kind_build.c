/*
 * kind_build.c - adds types, default type and period, then calls fill for the
 * samples.
 */
#include "runtime/kind/kind_build.h"

#include <string.h>

#include "profile/model/build.h"
#include "runtime/kind/kind.h"

/* Adds types, default type and period. */
static enum cp_status add_header(struct cp_builder *b,
                                 const struct cp_kind_form *form,
                                 int64_t period, struct cp_error *err)
{
    const char *type = form->default_type;

    for (size_t i = 0; form->types[i][0]; i++)
        if (cp_builder_type(b, form->types[i][0], form->types[i][1], err) !=
            CP_OK)
            return CP_ENOMEM;
    if (type) {
        b->profile->default_type = cp_builder_str(b, type, strlen(type), err);
        if (b->profile->default_type == CP_NO_STR)
            return CP_ENOMEM;
    }
    return cp_builder_period(b, form->period[0], form->period[1], period, err);
}

enum cp_status cp_kind_build(const struct cp_kind_form *form, int64_t period,
                             void *context, struct cp_profile **out,
                             struct cp_error *err)
{
    struct cp_builder b = { 0 };
    enum cp_status status = cp_builder_init(&b, err);

    if (status == CP_OK)
        status = add_header(&b, form, period, err);
    if (status == CP_OK)
        status = form->fill(&b, context, err);
    if (status == CP_OK)
        *out = cp_builder_take(&b);
    cp_builder_release(&b);
    return status;
}

enum cp_status cp_kind_begin_snapshot(const struct cp_kind_request *request,
                                      void **out_recording,
                                      struct cp_error *err)
{
    (void)request;
    (void)err;
    *out_recording = NULL;
    return CP_OK;
}

void cp_kind_cancel_snapshot(void *recording)
{
    (void)recording;
}
