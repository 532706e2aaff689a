/* debuginfod.c - fetches a debug file into the shared cache. */
#include "tool/input/debuginfod.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/new_file.h"
#include "tool/cli/folder.h"
#include "tool/input/fetch.h"

#define PATH_BYTES 4096
#define MISS_SECONDS 600
#define DEFAULT_TIMEOUT 90
#define HTTP_NOT_FOUND 404

static bool is_hex(const char *text)
{
    size_t n = strspn(text, "0123456789abcdef");

    return n >= 2 && n <= 128 && text[n] == '\0';
}

/* Writes the cache directory; returns false if none can be determined. */
static bool find_cache(char *out, size_t cap)
{
    const char *path = getenv("DEBUGINFOD_CACHE_PATH");
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = 0;

    if (path && *path)
        n = snprintf(out, cap, "%s", path);
    else if (xdg && *xdg)
        n = snprintf(out, cap, "%s/debuginfod_client", xdg);
    else if (home && *home)
        n = snprintf(out, cap, "%s/.cache/debuginfod_client", home);
    return n > 0 && (size_t)n < cap;
}

/* Seconds without progress before the next server is tried. */
static int timeout(void)
{
    const char *text = getenv("DEBUGINFOD_TIMEOUT");
    int seconds = text ? atoi(text) : 0;

    return seconds > 0 ? seconds : DEFAULT_TIMEOUT;
}

/* The request and its callback for messages. */
struct query {
    const char *id, *name;
    cp_warn warn;
    void *context;
    bool is_absent; /* every server has replied 404 */
};

/* Fetches the file from one server into an open file. */
static bool fetch(struct query *q, const char *server, size_t len, int fd)
{
    struct cp_fetch_options o = { -1, timeout(), "", "", "" };
    struct cp_fetch_events events = { .warn = q->warn, .context = q->context };
    char url[PATH_BYTES], what[256], line[PATH_BYTES + 1024];
    struct cp_fetch f = { .name = url, .what = what, .fd = fd };

    while (len > 0 && server[len - 1] == '/')
        len--;
    (void)snprintf(what, sizeof(what), "debug info of %s", q->name);
    if (snprintf(url, sizeof(url), "%.*s/buildid/%s/debuginfo", (int)len,
                 server, q->id) >= (int)sizeof(url))
        return false;
    cp_fetch_all(&f, 1, &o, &events);
    cp_bytes_release(&f.body);
    if (f.err.status == CP_OK)
        return true;
    q->is_absent &= f.http_status == HTTP_NOT_FOUND;
    (void)snprintf(line, sizeof(line), "%s: %s", url, f.err.msg);
    q->warn(q->context, line);
    return false;
}

/* Tries the servers in order. The file is empty again if none has it. */
static bool fetch_any(struct query *q, int fd)
{
    const char *at = getenv("DEBUGINFOD_URLS");

    q->is_absent = true;
    for (at += strspn(at, " \t"); *at; at += strspn(at, " \t")) {
        size_t len = strcspn(at, " \t");

        if (fetch(q, at, len, fd))
            return true;
        if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0)
            return false;
        at += len;
    }
    return false;
}

/* Looks in the cache: 1 the file exists, 0 no server has it, -1 unknown. */
static int look_up(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return -1;
    if (st.st_size > 0)
        return 1;
    if (time(NULL) - st.st_mtime < MISS_SECONDS)
        return 0;
    (void)unlink(path);
    return -1;
}

static bool download(struct query *q, const char *path)
{
    char temp[PATH_BYTES + 16];
    bool is_there;
    int fd;

    fd = cp_new_file_beside(path, temp, sizeof(temp), 0600);
    if (fd < 0)
        return false;
    is_there = fetch_any(q, fd);
    (void)fchmod(fd, is_there ? 0400 : 0);
    is_there = close(fd) == 0 && is_there;
    if ((!is_there && !q->is_absent) || rename(temp, path) != 0) {
        (void)unlink(temp);
        return false;
    }
    return is_there;
}

bool cp_debuginfod_find(const char *build_id, const char *name, char *out,
                        size_t cap, cp_warn warn, void *context)
{
    struct query q = { build_id, name, warn, context, false };
    const char *servers = getenv("DEBUGINFOD_URLS");
    char folder[PATH_BYTES];
    size_t n;
    int known;

    if (!servers || !*servers || !is_hex(build_id) ||
        !find_cache(folder, sizeof(folder)))
        return false;
    n = strlen(folder);
    if (snprintf(folder + n, sizeof(folder) - n, "/%s", build_id) >=
            (int)(sizeof(folder) - n) ||
        snprintf(out, cap, "%s/debuginfo", folder) >= (int)cap)
        return false;
    known = look_up(out);
    if (known >= 0)
        return known;
    return cp_folder_make(folder) && download(&q, out);
}
