/*
 * api_error.c - the last failure of a thread, for cpprof_error.
 *
 * The text is too large for the thread's static memory: a library that is
 * loaded late gets little of that. So it is allocated at the first failure, and
 * freed by the destructor of a key when the thread ends.
 */
#include <cpprof.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/error.h"
#include "runtime/process/api.h"

static _Thread_local struct cp_error *last_error;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

/* The program's own destructors may fail after this, and are freed again. */
static void free_error(void *error)
{
    last_error = NULL;
    cp_free(error);
}

static void make_key(void)
{
    has_key = pthread_key_create(&key, free_error) == 0;
}

/* NULL: there is no memory, or no key to free it by. */
static struct cp_error *own_error(void)
{
    struct cp_error *error = last_error;

    if (error)
        return error;
    (void)pthread_once(&once, make_key);
    error = has_key ? cp_alloc(1, sizeof(*error), NULL) : NULL;
    if (error && pthread_setspecific(key, error) != 0) {
        cp_free(error);
        error = NULL;
    }
    last_error = error;
    return error;
}

int cp_api_result(enum cp_status status, const struct cp_error *err)
{
    struct cp_error *error = status == CP_OK ? NULL : own_error();

    if (error)
        *error = *err;
    return status == CP_OK ? 0 : -1;
}

EXPORT const char *cpprof_error(void)
{
    return last_error ? last_error->msg : "out of memory";
}
