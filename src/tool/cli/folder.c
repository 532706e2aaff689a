/* folder.c - lists and creates directories. */
#include "tool/cli/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

bool cp_folder_exists(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A growing array, allocated in the arena. */
struct names {
    const char **items;
    size_t n, cap;
};

static enum cp_status add(struct names *names, const char *folder,
                          const char *name, struct cp_arena *arena,
                          struct cp_error *err)
{
    size_t len = strlen(folder);
    const char *slash = len > 0 && folder[len - 1] == '/' ? "" : "/";
    const char *path =
        cp_arena_printf(arena, err, "%s%s%s", folder, slash, name);
    struct stat st;

    if (!path)
        return CP_ENOMEM;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return CP_OK;
    if (cp_arena_reserve(arena, &names->items, names->n, &names->cap,
                         names->n + 1, sizeof(*names->items), err) != CP_OK)
        return CP_ENOMEM;
    names->items[names->n++] = path;
    return CP_OK;
}

static enum cp_status read_names(struct names *names, const char *folder,
                                 struct cp_arena *arena, struct cp_error *err)
{
    DIR *dir = opendir(folder);
    enum cp_status status = CP_OK;
    const struct dirent *entry;

    if (!dir)
        return cp_error_set(err, CP_EIO, "%s", strerror(errno));
    errno = 0;
    while (status == CP_OK && (entry = readdir(dir))) {
        if (entry->d_name[0] != '.')
            status = add(names, folder, entry->d_name, arena, err);
        errno = 0;
    }
    if (status == CP_OK && errno)
        status = cp_error_set(err, CP_EIO, "%s", strerror(errno));
    (void)closedir(dir);
    return status;
}

const char **cp_folder_files(const char *path, size_t *n,
                             struct cp_arena *arena, struct cp_error *err)
{
    struct names names = { 0 };

    if (read_names(&names, path, arena, err) != CP_OK)
        return NULL;
    if (names.n == 0) {
        (void)cp_error_set(err, CP_EIO, "no files in this directory");
        return NULL;
    }
    qsort(names.items, names.n, sizeof(*names.items), by_name);
    *n = names.n;
    return names.items;
}

bool cp_folder_make(char *path)
{
    struct stat st;

    for (char *at = path + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        (void)mkdir(path, 0777);
        *at = '/';
    }
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return false;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
           access(path, W_OK) == 0;
}
