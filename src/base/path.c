/* path.c - cleans and trims paths. */
#include "base/path.h"

#include <stdbool.h>
#include <string.h>

/* Removes the last element of out, but nothing before `floor`. */
static size_t drop_element(const char *out, size_t n, size_t floor)
{
    if (n > floor)
        n--;
    while (n > floor && out[n] != '/')
        n--;
    return n;
}

static size_t element_len(const char *at, const char *end)
{
    const char *slash = memchr(at, '/', (size_t)(end - at));

    return (size_t)((slash ? slash : end) - at);
}

size_t cp_path_clean(const char *path, size_t len, char *out)
{
    const char *at = path, *end = path + len;
    bool is_rooted = len > 0 && path[0] == '/';
    size_t n = 0,
           floor = 0; /* floor: length of the prefix that ".." cannot remove */

    if (is_rooted)
        out[n++] = '/';
    floor = n;
    while (at < end) {
        size_t part = element_len(at, end);

        if (part == 2 && at[0] == '.' && at[1] == '.' && n > floor) {
            n = drop_element(out, n, floor);
        } else if (part == 2 && at[0] == '.' && at[1] == '.') {
            if (!is_rooted) {
                n += (size_t)(n > 0);
                if (n > 0)
                    out[n - 1] = '/';
                memcpy(out + n, "..", 2);
                n += 2;
                floor = n;
            }
        } else if (part > 0 && !(part == 1 && at[0] == '.')) {
            if (n != (size_t)is_rooted)
                out[n++] = '/';
            memmove(out + n, at, part);
            n += part;
        }
        at += part + 1;
    }
    if (n == 0)
        out[n++] = '.';
    return n;
}

struct cp_str cp_path_base(struct cp_str path)
{
    uint32_t len = path.len, from;

    if (len == 0)
        return (struct cp_str){ ".", 1 };
    while (len > 1 && path.ptr[len - 1] == '/')
        len--;
    if (len == 1 && path.ptr[0] == '/')
        return (struct cp_str){ path.ptr, 1 };
    for (from = len; from > 0 && path.ptr[from - 1] != '/';)
        from--;
    return (struct cp_str){ path.ptr + from, len - from };
}

/* Returns the list; NULL for an empty string, which has no elements. */
static const char *list_of(const char *text)
{
    return text && *text ? text : NULL;
}

/*
 * Returns the next element of a list; at the end returns false and sets *list
 * to NULL.
 */
static bool next_dir(const char **list, struct cp_str *dir)
{
    size_t len;

    if (!*list)
        return false;
    len = strcspn(*list, ":");
    *dir = (struct cp_str){ *list, (uint32_t)len };
    *list = (*list)[len] == ':' ? *list + len + 1 : NULL;
    return true;
}

/* Removes everything up to "/dir/" if the path contains it. */
static bool cut_through_dir(struct cp_str *path, struct cp_str dir)
{
    const char *at = path->ptr, *end = path->ptr + path->len;

    for (; (size_t)(end - at) >= (size_t)dir.len + 2; at++) {
        if (at[0] == '/' && memcmp(at + 1, dir.ptr, dir.len) == 0 &&
            at[dir.len + 1] == '/') {
            at += dir.len + 2;
            *path = (struct cp_str){ at, (uint32_t)(end - at) };
            return true;
        }
    }
    return false;
}

/* Removes "dir/" (or "dir", if it ends in a slash) from the front. */
static bool cut_prefix(struct cp_str *path, struct cp_str dir)
{
    uint32_t len = dir.len;

    if (path->len < len || memcmp(path->ptr, dir.ptr, len) != 0)
        return false;
    if (len == 0 || dir.ptr[len - 1] != '/') {
        if (path->len <= len || path->ptr[len] != '/')
            return false;
        len++;
    }
    path->ptr += len;
    path->len -= len;
    return true;
}

struct cp_str cp_path_trim(struct cp_str path, const char *trim_path,
                           const char *search_path)
{
    static const struct cp_str always[] = { { "/proc/self/cwd/./", 17 },
                                            { "/proc/self/cwd/", 15 } };
    struct cp_str dir;

    trim_path = list_of(trim_path);
    search_path = list_of(search_path);
    while (!trim_path && next_dir(&search_path, &dir))
        if (cut_through_dir(&path, cp_path_base(dir)))
            return path;
    while (next_dir(&trim_path, &dir))
        if (cut_prefix(&path, dir))
            return path;
    if (!cut_prefix(&path, always[0]))
        (void)cut_prefix(&path, always[1]);
    return path;
}
