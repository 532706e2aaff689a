/* library.c - tries the paths relative to the executable. */
#include "launch/library.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert(CP_LIBRARY_PATH >= PATH_MAX,
               "realpath() writes up to PATH_MAX bytes");

#if defined(__x86_64__)
#define MULTIARCH "x86_64-linux-gnu"
#else
#define MULTIARCH "aarch64-linux-gnu"
#endif

/* Searches relative to the directory of the executable. */
static const char *const candidates[] = {
    "libcpprof.so",
    "libcpprof.so.0",
    "../lib/" MULTIARCH "/libcpprof.so.0",
    "../lib64/libcpprof.so.0",
    "../lib/libcpprof.so.0",
};

static bool resolve(char out[CP_LIBRARY_PATH], const char *path)
{
    return realpath(path, out) && access(out, R_OK) == 0;
}

/*
 * Rejects names with blanks and colons, because these separate the list in
 * LD_PRELOAD.
 */
static enum cp_status check_name(const char *path, struct cp_error *err)
{
    if (!path[strcspn(path, " :\t")])
        return CP_OK;
    return cp_error_set(
        err, CP_EUSAGE,
        "cannot preload %s: LD_PRELOAD does not allow blanks and "
        "colons in a path; move the library",
        path);
}

enum cp_status cp_library_find(char out[CP_LIBRARY_PATH], const char *given,
                               struct cp_error *err)
{
    char folder[PATH_MAX], path[2 * PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
    char *slash;

    if (given && !resolve(out, given))
        return cp_error_set(err, CP_EIO, "cannot use --library=%s: %s", given,
                            strerror(errno));
    if (given)
        return check_name(out, err);
    folder[n > 0 ? n : 0] = '\0';
    slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < sizeof(candidates) / sizeof(candidates[0]);
         i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", folder, candidates[i]);
        if (resolve(out, path))
            return check_name(out, err);
    }
    return cp_error_set(
        err, CP_EIO,
        "cannot find libcpprof.so.0: it is neither beside cpprof in %s "
        "nor in ../lib; use --library=PATH",
        folder);
}
