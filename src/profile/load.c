/* load.c - telling the formats apart; see load.h. */
#include "profile/load.h"

#include <string.h>

#include "profile/decode.h"
#include "profile/inflate.h"
#include "profile/legacy.h"

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

/* A reader that knows nothing. */
static struct cp_profile *read_none(const char *bytes, size_t len,
                                    struct cp_error *err)
{
    (void)bytes, (void)len;
    (void)cp_error_set(err, CP_EOTHER, "unrecognized profile format");
    return NULL;
}

static struct cp_profile *parse(const struct cp_bytes *plain,
                                cp_load_reader *more, struct cp_error *err)
{
    struct cp_error as_proto = { 0 }, as_other = { 0 };
    const char *bytes = (const char *)plain->data;
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
    p = cp_legacy_read(bytes, plain->len, &as_other);
    if (!p && as_other.status == CP_EOTHER)
        p = more(bytes, plain->len, &as_other);
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

struct cp_profile *cp_load(struct cp_bytes *file, struct cp_error *err)
{
    return cp_load_with(file, read_none, err);
}

struct cp_profile *cp_load_with(struct cp_bytes *file, cp_load_reader *more,
                                struct cp_error *err)
{
    struct cp_profile *p = NULL;

    if (unpack(file, err) == CP_OK) {
        p = parse(file, more, err);
        if (p && check(p, err) != CP_OK) {
            cp_profile_free(p);
            p = NULL;
        }
        if (!p)
            say_parsing(err);
    }
    cp_bytes_release(file);
    return p;
}
