/*
 * elf_decompress.c - decompresses sections.
 *
 * A section with SHF_COMPRESSED begins with its type (4), 4 bytes of padding in
 * 64-bit files, its size and its alignment. A .zdebug section begins with
 * "ZLIB" and its size, big-endian.
 */
#define ZSTD_STATIC_LINKING_ONLY /* for a decoder with a custom allocator */
#include "elf/elf_decompress.h"

#include <libdeflate.h>
#include <lzma.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"
#include "elf/elf_file.h"
#include "elf/elf_relocate.h"

#define MAX_GROWTH 64
#define MAX_EXTRA ((uint64_t)1 << 20)
#define XZ_MEMORY ((uint64_t)256 << 20)
#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

static bool is_too_large(uint64_t size, size_t packed_len)
{
    return size > (uint64_t)packed_len * MAX_GROWTH + MAX_EXTRA;
}

static enum cp_status inflate_zlib(const uint8_t *p, size_t len, uint8_t *out,
                                   size_t out_len, struct cp_error *err)
{
    struct libdeflate_decompressor *z = libdeflate_alloc_decompressor();
    enum libdeflate_result result;

    if (!z)
        return cp_error_nomem(err);
    result = libdeflate_zlib_decompress(z, p, len, out, out_len, NULL);
    libdeflate_free_decompressor(z);
    if (result != LIBDEFLATE_SUCCESS)
        return cp_error_set(err, CP_EFORMAT, "damaged zlib data");
    return CP_OK;
}

static void *zstd_alloc(void *opaque, size_t size)
{
    (void)opaque;
    return cp_alloc(1, size, NULL);
}

static void any_free(void *opaque, void *p)
{
    (void)opaque;
    cp_free(p);
}

static enum cp_status inflate_zstd(const uint8_t *p, size_t len, uint8_t *out,
                                   size_t out_len, struct cp_error *err)
{
    ZSTD_customMem memory = { zstd_alloc, any_free, NULL };
    ZSTD_DCtx *z = ZSTD_createDCtx_advanced(memory);
    size_t n;

    if (!z)
        return cp_error_nomem(err);
    n = ZSTD_decompressDCtx(z, out, out_len, p, len);
    (void)ZSTD_freeDCtx(z);
    if (n != out_len)
        return cp_error_set(err, CP_EFORMAT, "damaged zstd data");
    return CP_OK;
}

static enum cp_status inflate(unsigned kind, const uint8_t *p, size_t len,
                              uint64_t size, struct cp_elf_data *out,
                              struct cp_error *err)
{
    enum cp_status status;

    if (is_too_large(size, len))
        return cp_error_set(err, CP_EFORMAT,
                            "decompressed size exceeds the limit");
    status = cp_bytes_reserve(&out->own, (size_t)size, err);
    if (status != CP_OK)
        return status;
    if (kind == ELFCOMPRESS_ZLIB)
        status = inflate_zlib(p, len, out->own.data, (size_t)size, err);
    else if (kind == ELFCOMPRESS_ZSTD)
        status = inflate_zstd(p, len, out->own.data, (size_t)size, err);
    else
        status =
            cp_error_set(err, CP_EFORMAT, "unknown compression type %u", kind);
    if (status != CP_OK) {
        cp_bytes_release(&out->own);
        return status;
    }
    out->own.len = (size_t)size;
    out->data = out->own.data;
    out->len = (size_t)size;
    return CP_OK;
}

static enum cp_status decompress_flagged(const struct cp_elf *e,
                                         const struct cp_elf_section *s,
                                         struct cp_elf_data *out,
                                         struct cp_error *err)
{
    size_t header = cp_elf_is_64(e) ? 24 : 12;
    uint32_t kind;
    uint64_t size = 0;

    if (s->len < header)
        return cp_error_set(err, CP_EFORMAT, "compressed section is truncated");
    memcpy(&kind, s->data, 4);
    memcpy(&size, s->data + header / 3, header / 3);
    return inflate(kind, s->data + header, s->len - header, size, out, err);
}

static enum cp_status decompress_zdebug(const struct cp_elf_section *s,
                                        struct cp_elf_data *out,
                                        struct cp_error *err)
{
    uint64_t size = 0;

    if (s->len < 12 || memcmp(s->data, "ZLIB", 4) != 0) {
        out->data = s->data;
        out->len = s->len;
        return CP_OK;
    }
    for (int i = 4; i < 12; i++)
        size = size << 8 | s->data[i];
    return inflate(ELFCOMPRESS_ZLIB, s->data + 12, s->len - 12, size, out, err);
}

/* Finds a section; ".debug_info" may exist as ".zdebug_info". */
static const struct cp_elf_section *find(const struct cp_elf *e,
                                         const char *name, bool *out_is_old)
{
    for (size_t i = 0; i < cp_elf_section_count(e); i++) {
        const struct cp_elf_section *s = cp_elf_section_at(e, i);

        *out_is_old = strncmp(s->name, ".zdebug_", 8) == 0 &&
                      strncmp(name, ".debug_", 7) == 0 &&
                      strcmp(s->name + 8, name + 7) == 0;
        if (s->data && (*out_is_old || strcmp(s->name, name) == 0))
            return s;
    }
    return NULL;
}

enum cp_status cp_elf_decompress(const struct cp_elf *e, const char *name,
                                 struct cp_elf_data *out, struct cp_error *err)
{
    bool is_old;
    const struct cp_elf_section *s = find(e, name, &is_old);
    enum cp_status status = CP_OK;

    if (!s)
        return CP_OK;
    if ((s->flags & SHF_COMPRESSED || is_old || cp_elf_type(e) == ET_REL) &&
        !cp_elf_load(e, s)) {
        status =
            cp_error_set(err, CP_EIO, "too large, or the file has changed");
    } else if (s->flags & SHF_COMPRESSED) {
        status = decompress_flagged(e, s, out, err);
    } else if (is_old) {
        status = decompress_zdebug(s, out, err);
    } else {
        out->data = s->data;
        out->len = s->len;
    }
    if (status == CP_OK && cp_elf_type(e) == ET_REL)
        status = cp_elf_relocate(e, s, out, err);
    if (out->own.data)
        cp_elf_drop(e, s->data, s->len);
    if (status != CP_OK) {
        cp_elf_data_release(out);
        cp_error_prefix(err, "%s: ", s->name);
    }
    return status;
}

static void *xz_alloc(void *opaque, size_t n, size_t size)
{
    (void)opaque;
    return cp_alloc(n, size, NULL);
}

/* Runs the decoder to the end of the stream; grows the output as needed. */
static enum cp_status run_xz(lzma_stream *xz, size_t packed_len,
                             struct cp_bytes *out, struct cp_error *err)
{
    lzma_ret ret = LZMA_OK;

    while (ret == LZMA_OK) {
        size_t cap = out->mapped ? out->mapped * 2 : packed_len * 4 + 4096;

        if (is_too_large(cap / 2, packed_len))
            return cp_error_set(err, CP_EFORMAT,
                                "decompressed size exceeds the limit");
        out->len = (size_t)xz->total_out;
        if (cp_bytes_reserve(out, cap, err) != CP_OK)
            return CP_ENOMEM;
        xz->next_out = out->data + xz->total_out;
        xz->avail_out = out->mapped - (size_t)xz->total_out;
        ret = lzma_code(xz, LZMA_FINISH);
    }
    out->len = (size_t)xz->total_out;
    if (ret == LZMA_STREAM_END)
        return CP_OK;
    if (ret == LZMA_MEM_ERROR)
        return cp_error_nomem(err);
    return cp_error_set(err, CP_EFORMAT, "damaged xz data");
}

enum cp_status cp_elf_decompress_xz(const uint8_t *data, size_t len,
                                    struct cp_bytes *out, struct cp_error *err)
{
    static const lzma_allocator allocator = { xz_alloc, any_free, NULL };
    lzma_stream xz = LZMA_STREAM_INIT;
    enum cp_status status;

    xz.allocator = &allocator;
    xz.next_in = data;
    xz.avail_in = len;
    if (lzma_stream_decoder(&xz, XZ_MEMORY, 0) != LZMA_OK)
        return cp_error_nomem(err);
    status = run_xz(&xz, len, out, err);
    lzma_end(&xz);
    if (status != CP_OK)
        cp_bytes_release(out);
    return status;
}

void cp_elf_data_release(struct cp_elf_data *d)
{
    cp_bytes_release(&d->own);
    *d = (struct cp_elf_data){ 0 };
}
