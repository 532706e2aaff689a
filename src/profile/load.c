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

static struct cp_profile *parse(const struct cp_bytes *plain,
                                const struct cp_heap_reading *how,
                                struct cp_error *err)
{
    struct cp_error as_proto = { 0 }, as_legacy = { 0 };
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
    p = cp_legacy_read_as((const char *)plain->data, plain->len, how,
                          &as_legacy);
    if (!p && as_legacy.status == CP_EOTHER)
        (void)cp_error_set(err, CP_EFORMAT,
                           "unrecognized profile format (as protobuf: %s)",
                           as_proto.msg);
    else if (!p)
        (void)cp_error_set(err, as_legacy.status, "%s", as_legacy.msg);
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

struct cp_profile *cp_load_as(struct cp_bytes *file,
                              const struct cp_heap_reading *how,
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
    cp_bytes_release(file);
    return p;
}

struct cp_profile *cp_load(struct cp_bytes *file, struct cp_error *err)
{
    return cp_load_as(file, &(struct cp_heap_reading){ 0 }, err);
}
