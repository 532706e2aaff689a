/* query.c - parses URL parameters into options. */
#include "web/query.h"

#include <string.h>

#include "base/arena.h"
#include "http/request.h"
#include "report/core/options.h"
#include "web/fields.h"

#define VALUE_BYTES 4096 /* longer values are rejected */

const char *cp_web_param(const struct cp_http_request *r, const char *name,
                         struct cp_arena *arena, struct cp_error *err)
{
    char value[VALUE_BYTES];

    err->status = CP_OK;
    if (!cp_http_request_param(r, name, value, sizeof(value)) ||
        value[0] == '\0')
        return NULL;
    if (strlen(value) == sizeof(value) - 1) {
        (void)cp_error_set(err, CP_EUSAGE, "%s is too long", name);
        return NULL;
    }
    return cp_arena_copy(arena, value, strlen(value), err);
}

enum cp_status cp_web_query(const struct cp_http_request *r,
                            struct cp_options *options, struct cp_arena *arena,
                            struct cp_error *err)
{
    for (size_t i = 0; i < cp_web_n_fields; i++) {
        const struct cp_web_field *f = &cp_web_fields[i];
        const char *value = cp_web_param(r, f->key, arena, err);

        if (!value && err->status != CP_OK)
            return err->status;
        if (value && !cp_web_field_set(f, options, value))
            return cp_error_set(err, CP_EUSAGE, "%s=%s: invalid value", f->key,
                                value);
    }
    return CP_OK;
}
