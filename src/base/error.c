/* error.c - formats error messages into the caller's struct. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum cp_status cp_error_set(struct cp_error *err, enum cp_status status,
                            const char *fmt, ...)
{
    va_list args;

    if (!err)
        return status;
    err->status = status;
    va_start(args, fmt);
    (void)vsnprintf(err->msg, sizeof(err->msg), fmt, args);
    va_end(args);
    return status;
}

enum cp_status cp_error_nomem(struct cp_error *err)
{
    return cp_error_set(err, CP_ENOMEM, "out of memory");
}

void cp_error_prefix(struct cp_error *err, const char *fmt, ...)
{
    char old[sizeof(err->msg)];
    va_list args;
    int n;

    if (!err)
        return;
    memcpy(old, err->msg, sizeof(old));
    va_start(args, fmt);
    n = vsnprintf(err->msg, sizeof(err->msg), fmt, args);
    va_end(args);
    if (n >= 0 && (size_t)n < sizeof(err->msg))
        (void)snprintf(err->msg + n, sizeof(err->msg) - (size_t)n, "%s", old);
}
