/*
 * fuzz_profile.c - loads any bytes as a profile, then merges, encodes and
 * decodes it. The encoding must decode, and the streaming reader must give the
 * same profile.
 */
#include <stdlib.h>

#include "base/bytes.h"
#include "base/out.h"
#include "profile/codec/encode.h"
#include "profile/load/load.h"
#include "profile/load/stream.h"
#include "profile/load/stream_source.h"
#include "profile/model/profile.h"
#include "profile/transform/merge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct cp_profile *load(const void *data, size_t size)
{
    struct cp_bytes bytes = { 0 };

    if (cp_bytes_reserve(&bytes, size + 1, NULL) != CP_OK)
        return NULL;
    if (size)
        memcpy(bytes.data, data, size);
    bytes.len = size;
    return cp_load(&bytes, NULL);
}

static void write_and_read(const struct cp_profile *p)
{
    struct cp_out out = { .fd = -1 };
    struct cp_profile *again;

    if (cp_encode(p, &out, NULL) != CP_OK)
        abort();
    again = load(out.buf, out.len);
    if (!again || again->n_samples != p->n_samples ||
        again->n_locations != p->n_locations)
        abort();
    cp_profile_free(again);
    cp_out_release(&out);
}

static void check_stream(const struct cp_profile *p, const uint8_t *data,
                         size_t size)
{
    struct cp_stream_input input = { data, size, -1 };
    struct cp_profile *other =
        cp_stream_load(&input, size % 3 ? 64 + size % 500 : CP_STREAM_BUFFER,
                       1 + size % 2, NULL);
    struct cp_out want = { .fd = -1 }, got = { .fd = -1 };

    if (!other)
        return;
    if (!p || cp_encode(p, &want, NULL) != CP_OK ||
        cp_encode(other, &got, NULL) != CP_OK || want.len != got.len ||
        memcmp(want.buf, got.buf, got.len) != 0)
        abort();
    cp_out_release(&want);
    cp_out_release(&got);
    cp_profile_free(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cp_profile *pair[2] = { load(data, size), NULL };

    check_stream(pair[0], data, size);
    if (!pair[0])
        return 0;
    if (pair[0]->n_types > 0)
        write_and_read(pair[0]);
    pair[1] = cp_profile_copy(pair[0], NULL);
    if (pair[1])
        cp_profile_free(cp_merge(pair, 2, NULL));
    else
        cp_profile_free(pair[0]);
    return 0;
}
