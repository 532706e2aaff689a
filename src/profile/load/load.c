/* load.c - telling the formats apart; see load.h. */
#include "profile/load/load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/parallel.h"
#include "profile/codec/decode.h"
#include "profile/codec/inflate.h"
#include "profile/legacy/heap_values.h"
#include "profile/legacy/legacy.h"
#include "profile/load/stream.h"
#include "profile/load/stream_source.h"
#include "profile/model/profile.h"

static enum cp_status unpack(struct cp_bytes *file, struct cp_error *err)
{
    struct cp_bytes plain = { 0 };
    enum cp_status status;

    if (!cp_inflate_is_packed(file->data, file->len))
        return CP_OK;
    status = cp_inflate(file->data, file->len, &plain, err);
    cp_bytes_release(file);
    if (status != CP_OK) {
        cp_bytes_release(&plain);
        cp_error_prefix(err, "decompressing profile: ");
        return status;
    }
    *file = plain;
    return CP_OK;
}

/* Formats other than profile.proto; CP_EOTHER when it is none of them. */
static struct cp_profile *read_other(const struct cp_bytes *plain,
                                     const struct cp_load_how *how,
                                     struct cp_error *err)
{
    static const struct cp_legacy_heap_reading as_usual = { 0 };
    const char *bytes = (const char *)plain->data;
    struct cp_profile *p = cp_legacy_read_as(
        bytes, plain->len, how->heap ? how->heap : &as_usual, err);

    if (!p && err->status == CP_EOTHER && how->more)
        p = how->more(bytes, plain->len, err);
    return p;
}

static struct cp_profile *parse(struct cp_bytes *plain,
                                const struct cp_load_how *how,
                                struct cp_error *err)
{
    struct cp_error as_proto = { 0 }, as_other = { 0 };
    struct cp_profile *p;

    if (plain->len == 0) {
        (void)cp_error_set(err, CP_EFORMAT, "empty input file");
        return NULL;
    }
    p = cp_decode(plain, true, &as_proto);
    if (p)
        return p;
    if (as_proto.status != CP_EOTHER) {
        (void)cp_error_set(err, as_proto.status, "%s", as_proto.msg);
        return NULL;
    }
    p = read_other(plain, how, &as_other);
    if (!p && as_other.status == CP_EOTHER)
        (void)cp_error_set(err, CP_EFORMAT,
                           "unrecognized profile format (as protobuf: %s)",
                           as_proto.msg);
    else if (!p)
        (void)cp_error_set(err, as_other.status, "%s", as_other.msg);
    return p;
}

/* A profile that was read but is wrong says so itself. */
static void say_parsing(struct cp_error *err)
{
    static const char malformed[] = "malformed profile: ";

    if (err && strncmp(err->msg, malformed, sizeof(malformed) - 1) != 0)
        cp_error_prefix(err, "parsing profile: ");
}

/* Decoding has checked ids and counts; this is left. */
static enum cp_status check(const struct cp_profile *p, struct cp_error *err)
{
    if (p->n_types > 0 || p->n_samples == 0)
        return CP_OK;
    return cp_error_set(err, CP_EFORMAT,
                        "malformed profile: missing sample type information");
}

static struct cp_profile *load_whole(struct cp_bytes *file,
                                     const struct cp_load_how *how,
                                     struct cp_error *err)
{
    struct cp_profile *p = NULL;

    if (unpack(file, err) == CP_OK) {
        p = parse(file, how, err);
        if (p && check(p, err) != CP_OK) {
            cp_profile_free(p);
            p = NULL;
        }
        if (!p)
            say_parsing(err);
    }
    return p;
}

/* NULL: not large enough, or not to be had this way. */
static struct cp_profile *stream(const struct cp_stream_input *input,
                                 const struct cp_load_how *how)
{
    size_t n = how->n_threads ? how->n_threads : cp_parallel_width();

    return input->len < CP_STREAM_MIN
               ? NULL
               : cp_stream_load(input, CP_STREAM_BUFFER, n, how->room);
}

struct cp_profile *cp_load_as(struct cp_bytes *file,
                              const struct cp_load_how *how,
                              struct cp_error *err)
{
    struct cp_stream_input input = { .data = file->data, .len = file->len };
    struct cp_profile *p = stream(&input, how);

    if (!p)
        p = load_whole(file, how, err);
    cp_bytes_release(file);
    return p;
}

struct cp_profile *cp_load(struct cp_bytes *file, struct cp_error *err)
{
    return cp_load_as(file, &(struct cp_load_how){ 0 }, err);
}

static struct cp_profile *load_open(int fd, const struct cp_load_how *how,
                                    struct cp_error *err)
{
    struct cp_stream_input input = { .fd = fd };
    struct cp_bytes file = { 0 };
    struct cp_profile *p = NULL;
    struct stat st;

    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
        (uintmax_t)st.st_size <= CP_LOAD_LIMIT) {
        input.len = (size_t)st.st_size;
        p = stream(&input, how);
    }
    if (!p && cp_bytes_read_fd(&file, fd, CP_LOAD_LIMIT, err) == CP_OK)
        p = load_whole(&file, how, err);
    cp_bytes_release(&file);
    return p;
}

struct cp_profile *cp_load_file(const char *path, const struct cp_load_how *how,
                                struct cp_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct cp_profile *p;

    if (fd < 0) {
        (void)cp_error_set(err, CP_EIO, "open: %s", strerror(errno));
        return NULL;
    }
    p = load_open(fd, how, err);
    (void)close(fd);
    return p;
}
