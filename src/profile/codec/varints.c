/* varints.c - decodes up to four varints per step with SSE4.1 byte shuffles. */
#include "profile/codec/varints.h"

#ifdef __x86_64__
#include <smmintrin.h>
#include <string.h>

#include "profile/codec/wire.h"
#endif

/*
 * Fills the table row for this mask of continuation bits: one 4-byte lane per
 * complete varint.
 */
static void make_case(struct cp_varints *v, unsigned tops)
{
    unsigned from = 0, lane = 0;

    for (; lane < 4; lane++) {
        unsigned end = from;

        while (end < 8 && (tops >> end & 1))
            end++;
        if (end >= 8 || end - from >= 4)
            break;
        for (unsigned i = 0; i < 4; i++)
            v->shuffle[tops][lane * 4 + i] =
                (uint8_t)(from + i <= end ? from + i : 0x80);
        from = end + 1;
    }
    CP_ASSERT(tops < 256 && lane <= 4 && from <= 8);
    v->n[tops] = (uint8_t)lane;
    v->len[tops] = (uint8_t)from;
    /*
     * Unused lanes repeat the first, so that min and max see only real numbers.
     */
    for (; lane < 4; lane++)
        memcpy(&v->shuffle[tops][lane * 4], &v->shuffle[tops][0], 4);
}

void cp_varints_init(struct cp_varints *v)
{
    for (unsigned tops = 0; tops < 256; tops++)
        make_case(v, tops);
#ifdef __x86_64__
    v->is_usable = __builtin_cpu_supports("sse4.1");
#else
    v->is_usable = false;
#endif
}

#ifdef __x86_64__

/* Removes the continuation bits in four 32-bit lanes; see cp_wire_join. */
__attribute__((target("sse4.1"))) static inline __m128i join(__m128i x)
{
    __m128i a = _mm_and_si128(x, _mm_set1_epi32(0x7f));
    __m128i b = _mm_and_si128(_mm_srli_epi32(x, 1), _mm_set1_epi32(0x3f80));
    __m128i c = _mm_and_si128(_mm_srli_epi32(x, 2), _mm_set1_epi32(0x1fc000));
    __m128i d = _mm_and_si128(_mm_srli_epi32(x, 3), _mm_set1_epi32(0xfe00000));

    return _mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d));
}

__attribute__((target("sse4.1"))) static void
extend(struct cp_varint_range *range, __m128i min, __m128i max)
{
    uint32_t low[4], high[4];

    _mm_storeu_si128((__m128i *)(void *)low, min);
    _mm_storeu_si128((__m128i *)(void *)high, max);
    for (int i = 0; i < 4; i++) {
        range->min = low[i] < range->min ? low[i] : range->min;
        range->max = high[i] > range->max ? high[i] : range->max;
    }
}

/* Positions in input and output, and the range so far. */
struct cursor {
    const uint8_t *pos;
    uint32_t *at;
    __m128i min, max;
};

/*
 * Decodes one to four varints; `tops` is the mask of continuation bits of 8
 * bytes.
 */
__attribute__((target("sse4.1"))) static inline void
read_four(const struct cp_varints *v, struct cursor *c, unsigned tops)
{
    const void *shuffle = v->shuffle[tops];
    __m128i x = _mm_loadl_epi64((const __m128i *)(const void *)c->pos);

    x = join(_mm_shuffle_epi8(x, _mm_load_si128(shuffle)));
    c->min = _mm_min_epu32(c->min, x);
    c->max = _mm_max_epu32(c->max, x);
    _mm_storeu_si128((__m128i *)(void *)c->at,
                     _mm_sub_epi32(x, _mm_set1_epi32(1)));
    c->pos += v->len[tops];
    c->at += v->n[tops];
}

/* Returns the continuation bits of n bytes; n is 8 or 16. */
__attribute__((target("sse4.1"))) static inline uint32_t
tops_of(const uint8_t *bytes, int n)
{
    const __m128i *from = (const void *)bytes;

    return (uint32_t)_mm_movemask_epi8(n == 8 ? _mm_loadl_epi64(from)
                                              : _mm_loadu_si128(from)) &
           (n == 8 ? 0xff : 0xffff);
}

/*
 * Decodes up to 16 varints. The start of a varint depends on the length of
 * those before it, and a load per step would put memory latency on that chain.
 * So the continuation bits of 32 bytes are loaded once, and each step is a
 * shift and a table lookup. Four steps consume at most 32 bytes. Returns false
 * at a varint longer than four bytes.
 */
__attribute__((target("sse4.1"))) static inline bool
read_block(const struct cp_varints *v, struct cursor *c)
{
    uint32_t tops = tops_of(c->pos, 16) | tops_of(c->pos + 16, 16) << 16;

    for (int i = 0; i < 4; i++) {
        unsigned next = tops & 0xff;

        if (v->n[next] == 0)
            return false;
        read_four(v, c, next);
        tops >>= v->len[next];
    }
    return true;
}

__attribute__((target("sse4.1"))) static size_t
read_fours(const struct cp_varints *v, struct cp_wire *w, uint32_t *out,
           struct cp_varint_range *range)
{
    struct cursor c = { .pos = w->pos,
                        .at = out,
                        .min = _mm_set1_epi32((int)range->min),
                        .max = _mm_set1_epi32((int)range->max) };

    while (w->end - c.pos >= 32 && read_block(v, &c))
        ;
    while (w->end - c.pos >= 8) {
        unsigned tops = tops_of(c.pos, 8);

        if (v->n[tops] == 0)
            break;
        read_four(v, &c, tops);
    }
    CP_ASSERT(c.pos <= w->end && c.at - out <= c.pos - w->pos);
    extend(range, c.min, c.max);
    w->pos = c.pos;
    return (size_t)(c.at - out);
}

#endif

size_t cp_varints_read(const struct cp_varints *v, struct cp_wire *w,
                       uint32_t *out, struct cp_varint_range *range)
{
#ifdef __x86_64__
    if (v->is_usable && w->end - w->pos >= 8)
        return read_fours(v, w, out, range);
#endif
    (void)v;
    (void)w;
    (void)out;
    (void)range;
    return 0;
}
