/*
 * debug_file.c - searches for debug files in the directories that gdb
 * documents.
 *
 *   DIR/.build-id/ab/cdef....debug     for each debug directory DIR
 *   the file's directory, .debug below it, DIR + the file's directory
 *                                      for a name from .gnu_debuglink
 *
 * A candidate is used only if its build id matches, or if there is none, its
 * checksum.
 */
#include "elf/debug_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "elf/elf_file.h"

static const char *const default_dirs[] = { "/usr/lib/debug", NULL };

#define MAX_BUILD_ID 64

/* The required identity of a candidate. */
struct wanted {
    const struct cp_elf *beside; /* the file that it belongs to */
    const uint8_t *id;
    size_t id_len;
    uint32_t crc;
};

/* Opens a candidate and checks its build id. */
static bool open_with_id(const char *path, const struct wanted *w,
                         struct cp_elf **out)
{
    struct cp_elf *e;
    const uint8_t *has = NULL;
    size_t n;

    if (cp_elf_open_beside(&e, path, w->beside, NULL) != CP_OK)
        return false;
    n = cp_elf_build_id(e, &has);
    if (n != w->id_len || memcmp(has, w->id, n) != 0) {
        cp_elf_close(e);
        return false;
    }
    *out = e;
    return true;
}

static bool open_by_id(const struct wanted *w, const char *const *dirs,
                       struct cp_elf **out)
{
    char hex[2 * MAX_BUILD_ID + 1], path[PATH_MAX];

    if (w->id_len < 2 || w->id_len > MAX_BUILD_ID)
        return false;
    cp_hex_text(w->id, w->id_len, hex);
    for (; *dirs; dirs++) {
        int n = snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug",
                         *dirs, hex, hex + 2);

        if (n > 0 && (size_t)n < sizeof(path) && open_with_id(path, w, out))
            return true;
    }
    return false;
}

/* Opens a candidate and checks its CRC. */
static bool open_with_crc(const char *path, const struct wanted *w,
                          struct cp_elf **out)
{
    struct cp_elf *e;
    uint32_t crc = 0;

    if (cp_elf_open_beside(&e, path, w->beside, NULL) != CP_OK)
        return false;
    if (!cp_elf_crc32(e, &crc) || crc != w->crc) {
        cp_elf_close(e);
        return false;
    }
    *out = e;
    return true;
}

/*
 * Writes the directory of a path, "." if it has none; false if it is too long.
 */
static bool dir_of(const char *path, char out[PATH_MAX])
{
    char real[PATH_MAX];
    const char *slash;

    if (realpath(path, real))
        path = real;
    slash = strrchr(path, '/');
    if (!slash)
        return snprintf(out, PATH_MAX, ".") > 0;
    return snprintf(out, PATH_MAX, "%.*s", (int)(slash - path), path) <
           PATH_MAX;
}

static bool open_by_link(const char *name, const struct wanted *w,
                         const char *path, const char *const *dirs,
                         struct cp_elf **out)
{
    char dir[PATH_MAX], candidate[PATH_MAX];
    static const char *const subs[] = { "", "/.debug" };

    if (!path || !*name || strchr(name, '/') || !dir_of(path, dir))
        return false;
    for (size_t i = 0; i < 2; i++) {
        int n = snprintf(candidate, sizeof(candidate), "%s%s/%s", dir, subs[i],
                         name);

        if (n > 0 && (size_t)n < sizeof(candidate) &&
            strcmp(candidate, path) != 0 && open_with_crc(candidate, w, out))
            return true;
    }
    for (; *dirs; dirs++) {
        int n = snprintf(candidate, sizeof(candidate), "%s%s%s/%s", *dirs,
                         dir[0] == '/' ? "" : "/", dir, name);

        if (n > 0 && (size_t)n < sizeof(candidate) &&
            open_with_crc(candidate, w, out))
            return true;
    }
    return false;
}

bool cp_debug_file_open(const struct cp_elf *e, const char *path,
                        const char *const *dirs, struct cp_elf **out)
{
    struct wanted w = { .beside = e };
    struct cp_elf_section link;
    size_t name_len;

    w.id_len = cp_elf_build_id(e, &w.id);
    if (!dirs)
        dirs = default_dirs;
    if (w.id_len && open_by_id(&w, dirs, out))
        return true;
    if (!cp_elf_section(e, ".gnu_debuglink", &link) || link.len < 8 ||
        !cp_elf_load(e, &link))
        return false;
    name_len = strnlen((const char *)link.data, link.len - 4);
    if (((name_len + 4) & ~(size_t)3) + 4 > link.len)
        return false;
    memcpy(&w.crc, link.data + ((name_len + 4) & ~(size_t)3), 4);
    return open_by_link((const char *)link.data, &w, path, dirs, out);
}

bool cp_debug_file_has_alt(const struct cp_elf *e)
{
    struct cp_elf_section link;

    return cp_elf_section(e, ".gnu_debugaltlink", &link) && link.len > 0;
}

bool cp_debug_file_open_alt(const struct cp_elf *e, const char *path,
                            const char *const *dirs, struct cp_elf **out)
{
    struct wanted w = { .beside = e };
    struct cp_elf_section link;
    char dir[PATH_MAX], candidate[PATH_MAX];
    size_t name_len;
    const char *name;
    int n;

    if (!dirs)
        dirs = default_dirs;
    if (!cp_elf_section(e, ".gnu_debugaltlink", &link) ||
        !cp_elf_load(e, &link))
        return false;
    name = (const char *)link.data;
    name_len = strnlen(name, link.len);
    if (name_len == link.len || name_len + 1 == link.len)
        return false;
    w.id = link.data + name_len + 1;
    w.id_len = link.len - name_len - 1;
    if (open_by_id(&w, dirs, out))
        return true;
    if (name[0] == '/')
        return open_with_id(name, &w, out);
    if (!path || !dir_of(path, dir))
        return false;
    n = snprintf(candidate, sizeof(candidate), "%s/%s", dir, name);
    return n > 0 && (size_t)n < sizeof(candidate) &&
           open_with_id(candidate, &w, out);
}
