/*
 * api_error.c - stores the last error of each thread, for cpprof_error.
 *
 * The message is too large for thread-local storage, of which a library loaded
 * by dlopen() gets little. So the first failure allocates it, and the
 * destructor of a pthread key frees it at the end of the thread.
 */
#include <cpprof.h>
#include <pthread.h>

#include "base/alloc.h"
#include "runtime/process/api.h"

static _Thread_local struct cp_error *last_error;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

/*
 * Frees the error of a thread that ends. A destructor of the program may fail
 * later and allocate a new one.
 */
static void free_error(void *error)
{
    last_error = NULL;
    cp_free(error);
}

static void make_key(void)
{
    has_key = pthread_key_create(&key, free_error) == 0;
}

/*
 * Returns the error of the calling thread, or NULL if there is no memory or no
 * key.
 */
static struct cp_error *thread_error(void)
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
    struct cp_error *error = status == CP_OK ? NULL : thread_error();

    if (error)
        *error = *err;
    return status == CP_OK ? 0 : -1;
}

EXPORT const char *cpprof_error(void)
{
    return last_error ? last_error->msg : "out of memory";
}
