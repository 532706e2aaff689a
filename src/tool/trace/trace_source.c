/* trace_source.c - opens, fetches and maps traces. */
#include "tool/trace/trace_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/new_file.h"
#include "tool/cli/url.h"
#include "tool/input/fetch.h"
#include "tool/input/save.h"

#define TRACE_PATH "/debug/pprof/trace"
#define GRACE_SECONDS 60 /* seconds for the reply after the trace has ended */
#define COPY_BYTES ((size_t)1 << 16)

static enum cp_status system_error(const char *what, struct cp_error *err)
{
    return cp_error_set(err, CP_EIO, "%s: %s", what, strerror(errno));
}

static enum cp_status map(struct cp_trace_source *s, int fd,
                          struct cp_error *err)
{
    struct stat st;
    void *at;

    if (fstat(fd, &st) != 0)
        return system_error("cannot read the trace: fstat", err);
    if (st.st_size == 0)
        return cp_error_set(err, CP_EFORMAT, "the file is empty");
    at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED)
        return system_error("cannot read the trace: mmap", err);
    s->bytes = at;
    s->len = (size_t)st.st_size;
    return CP_OK;
}

static bool write_whole(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);

        if (n < 0 && errno != EINTR)
            return false;
        bytes += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Copies input of unknown length, such as a pipe, into an unlinked file. */
static enum cp_status copy(struct cp_trace_source *s, int from,
                           struct cp_error *err)
{
    static char bytes[COPY_BYTES];
    enum cp_status status = CP_OK;
    int fd = cp_new_file_scratch();
    ssize_t n = 1;

    if (fd < 0)
        return system_error("cannot write a temporary file", err);
    while (status == CP_OK && n != 0) {
        n = read(from, bytes, sizeof(bytes));
        if (n < 0 && errno != EINTR)
            status = system_error("read", err);
        else if (n > 0 && !write_whole(fd, bytes, (size_t)n))
            status = system_error("cannot write a temporary file", err);
    }
    if (status == CP_OK)
        status = map(s, fd, err);
    (void)close(fd);
    return status;
}

static enum cp_status open_file(struct cp_trace_source *s, const char *name,
                                struct cp_error *err)
{
    struct stat st;
    enum cp_status status;
    int fd = strcmp(name, "-") == 0 ? STDIN_FILENO
                                    : open(name, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return cp_error_set(err, CP_EIO, "%s", strerror(errno));
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
        status = cp_error_set(err, CP_EIO, "is a directory");
    else if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        status = map(s, fd, err);
    else
        status = copy(s, fd, err);
    if (fd != STDIN_FILENO)
        (void)close(fd);
    return status;
}

/* Returns the address with the default path of a trace added if it has none. */
static char *trace_address(const char *name, struct cp_arena *arena,
                           struct cp_error *err)
{
    const char *host = strstr(name, "://");
    const char *rest;
    size_t n;

    host = host ? host + strlen("://") : name;
    if (strncmp(name, "unix:", strlen("unix:")) == 0)
        return strstr(name + strlen("unix:"), ":/")
                   ? cp_arena_copy(arena, name, strlen(name), err)
                   : cp_arena_printf(arena, err, "%s:%s", name, TRACE_PATH);
    n = (size_t)(host - name) + strcspn(host, "/?");
    rest = name + n;
    if (*rest == '/' && rest[1] != '\0' && rest[1] != '?')
        return cp_arena_copy(arena, name, strlen(name), err);
    return cp_arena_printf(arena, err, "%.*s%s%s", (int)n, name, TRACE_PATH,
                           rest + (*rest == '/'));
}

static enum cp_status fetch(const char *address, int seconds, int fd,
                            cp_warn warn, struct cp_error *err)
{
    struct cp_fetch_events events = { .warn = warn };
    struct cp_fetch_options o = {
        .seconds = seconds, .tls_cert = "", .tls_key = "", .tls_ca = ""
    };
    struct cp_fetch f = {
        .name = address, .what = "trace", .fd = fd, .is_named = true
    };
    struct cp_arena arena = { 0 };
    struct cp_url url;
    enum cp_status status = cp_url_read(&url, address, seconds, &arena, err);

    if (status == CP_OK) {
        o.timeout = url.seconds + GRACE_SECONDS;
        cp_fetch_all(&f, 1, &o, &events);
        cp_bytes_release(&f.body);
        status = f.err.status;
        if (status != CP_OK && err)
            *err = f.err;
    }
    cp_arena_release(&arena);
    return status;
}

static enum cp_status open_address(struct cp_trace_source *s, const char *name,
                                   int seconds, cp_warn warn,
                                   struct cp_error *err)
{
    struct cp_arena arena = { 0 };
    struct cp_saving saving;
    char line[CP_SAVE_PATH_BYTES + 32];
    const char *address = trace_address(name, &arena, err);
    enum cp_status status =
        address ? cp_saving_open(&saving, warn, NULL, err) : CP_ENOMEM;

    if (status == CP_OK) {
        status = fetch(address, seconds, saving.fd, warn, err);
        if (status == CP_OK)
            status = map(s, saving.fd, err);
        if (status == CP_OK)
            status = cp_saving_rename(&saving, "trace.", "out", err);
        else
            cp_saving_abandon(&saving);
    }
    if (status == CP_OK) {
        (void)snprintf(line, sizeof(line), "Saved trace in %s", saving.path);
        warn(NULL, line);
    }
    cp_arena_release(&arena);
    return status;
}

enum cp_status cp_trace_source_open(struct cp_trace_source *s, const char *name,
                                    int seconds, cp_warn warn,
                                    struct cp_error *err)
{
    struct cp_arena arena = { 0 };
    bool is_address = access(name, F_OK) != 0 && cp_url_is_url(name);
    enum cp_status status = is_address
                                ? open_address(s, name, seconds, warn, err)
                                : open_file(s, name, err);
    const char *shown = cp_url_redact(name, &arena);
    const char *slash = strrchr(shown, '/');

    if (!is_address && slash && slash[1])
        shown = slash + 1;
    (void)snprintf(s->name, sizeof(s->name), "%s", shown);
    cp_arena_release(&arena);
    if (status != CP_OK)
        cp_trace_source_close(s);
    return status;
}

void cp_trace_source_close(struct cp_trace_source *s)
{
    if (s->bytes)
        (void)munmap((void *)(uintptr_t)s->bytes, s->len);
    s->bytes = NULL;
}
