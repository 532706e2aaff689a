/* load.c - detects the format of a profile and reads it. */
#include "profile/load/load.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/parallel.h"
#include "profile/codec/decode.h"
#include "profile/codec/inflate.h"
#include "profile/legacy/heap_values.h"
#include "profile/legacy/legacy.h"
#include "profile/load/stream.h"
#include "profile/load/stream_source.h"

static enum cp_status decompress(struct cp_bytes *file, struct cp_error *err)
{
    struct cp_bytes plain = { 0 };
    enum cp_status status;

    if (!cp_inflate_is_compressed(file->data, file->len))
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

/* Reads formats other than profile.proto; CP_EOTHER if none matches. */
static struct cp_profile *read_other(const struct cp_bytes *plain,
                                     const struct cp_load_options *options,
                                     struct cp_error *err)
{
    static const struct cp_legacy_heap_options defaults = { 0 };
    const char *bytes = (const char *)plain->data;
    struct cp_profile *p = cp_legacy_read_as(
        bytes, plain->len, options->heap ? options->heap : &defaults, err);

    if (!p && err->status == CP_EOTHER && options->fallback)
        p = options->fallback(bytes, plain->len, err);
    return p;
}

static struct cp_profile *parse(struct cp_bytes *plain,
                                const struct cp_load_options *options,
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
    p = read_other(plain, options, &as_other);
    if (!p && as_other.status == CP_EOTHER)
        (void)cp_error_set(err, CP_EFORMAT,
                           "unrecognized profile format (as protobuf: %s)",
                           as_proto.msg);
    else if (!p)
        (void)cp_error_set(err, as_other.status, "%s", as_other.msg);
    return p;
}

/*
 * Prefixes "parsing profile: " unless the message already says that the profile
 * is malformed.
 */
static void prefix_parsing(struct cp_error *err)
{
    static const char malformed[] = "malformed profile: ";

    if (err && strncmp(err->msg, malformed, sizeof(malformed) - 1) != 0)
        cp_error_prefix(err, "parsing profile: ");
}

/* Checks the invariants that decoding has not checked. */
static enum cp_status check_types(const struct cp_profile *p,
                                  struct cp_error *err)
{
    if (p->n_types > 0 || p->n_samples == 0)
        return CP_OK;
    return cp_error_set(err, CP_EFORMAT,
                        "malformed profile: missing sample type information");
}

static struct cp_profile *load_whole(struct cp_bytes *file,
                                     const struct cp_load_options *options,
                                     struct cp_error *err)
{
    struct cp_profile *p = NULL;

    if (decompress(file, err) == CP_OK) {
        p = parse(file, options, err);
        if (p && check_types(p, err) != CP_OK) {
            cp_profile_free(p);
            p = NULL;
        }
        if (!p)
            prefix_parsing(err);
    }
    return p;
}

/*
 * Loads a large file by streaming; NULL if it is too small or streaming fails.
 */
static struct cp_profile *stream(const struct cp_stream_input *input,
                                 const struct cp_load_options *options)
{
    size_t n = options->n_threads ? options->n_threads : cp_parallel_width();

    return input->len < CP_STREAM_MIN
               ? NULL
               : cp_stream_load(input, CP_STREAM_BUFFER, n, options->pool);
}

struct cp_profile *cp_load_as(struct cp_bytes *file,
                              const struct cp_load_options *options,
                              struct cp_error *err)
{
    struct cp_stream_input input = { .data = file->data, .len = file->len };
    struct cp_profile *p = stream(&input, options);

    if (!p)
        p = load_whole(file, options, err);
    cp_bytes_release(file);
    return p;
}

struct cp_profile *cp_load(struct cp_bytes *file, struct cp_error *err)
{
    return cp_load_as(file, &(struct cp_load_options){ 0 }, err);
}

static struct cp_profile *
load_open(int fd, const struct cp_load_options *options, struct cp_error *err)
{
    struct cp_stream_input input = { .fd = fd };
    struct cp_bytes file = { 0 };
    struct cp_profile *p = NULL;
    struct stat st;

    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
        (uintmax_t)st.st_size <= CP_LOAD_LIMIT) {
        input.len = (size_t)st.st_size;
        p = stream(&input, options);
    }
    if (!p && cp_bytes_read_fd(&file, fd, CP_LOAD_LIMIT, err) == CP_OK)
        p = load_whole(&file, options, err);
    cp_bytes_release(&file);
    return p;
}

struct cp_profile *cp_load_file(const char *path,
                                const struct cp_load_options *options,
                                struct cp_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct cp_profile *p;

    if (fd < 0) {
        (void)cp_error_set(err, CP_EIO, "open: %s", strerror(errno));
        return NULL;
    }
    p = load_open(fd, options, err);
    (void)close(fd);
    return p;
}
