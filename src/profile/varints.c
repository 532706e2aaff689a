/* varints.c - see varints.h. */
#include "profile/varints.h"

#ifdef __x86_64__
#include <smmintrin.h>
#endif

/* The case of these top bits: lane after lane, as long as varints are whole. */
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
    v->n[tops] = (uint8_t)lane;
    v->len[tops] = (uint8_t)from;
    /* Lanes that are left repeat the first, so that all hold real numbers. */
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

/* Four lanes of varint bytes to four numbers; see cp_wire_join. */
__attribute__((target("sse4.1"))) static inline __m128i join(__m128i x)
{
    __m128i a = _mm_and_si128(x, _mm_set1_epi32(0x7f));
    __m128i b = _mm_and_si128(_mm_srli_epi32(x, 1), _mm_set1_epi32(0x3f80));
    __m128i c = _mm_and_si128(_mm_srli_epi32(x, 2), _mm_set1_epi32(0x1fc000));
    __m128i d = _mm_and_si128(_mm_srli_epi32(x, 3), _mm_set1_epi32(0xfe00000));

    return _mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d));
}

__attribute__((target("sse4.1"))) static void
extend(struct cp_varint_range *range, __m128i least, __m128i most)
{
    uint32_t low[4], high[4];

    _mm_storeu_si128((__m128i *)(void *)low, least);
    _mm_storeu_si128((__m128i *)(void *)high, most);
    for (int i = 0; i < 4; i++) {
        range->least = low[i] < range->least ? low[i] : range->least;
        range->most = high[i] > range->most ? high[i] : range->most;
    }
}

__attribute__((target("sse4.1"))) static size_t
read_fours(const struct cp_varints *v, struct cp_wire *w, uint32_t *out,
           struct cp_varint_range *range)
{
    __m128i least = _mm_set1_epi32((int)range->least);
    __m128i most = _mm_set1_epi32((int)range->most);
    const uint8_t *pos = w->pos;
    uint32_t *at = out;

    while (w->end - pos >= 8) {
        __m128i x = _mm_loadl_epi64((const __m128i *)(const void *)pos);
        unsigned tops = (unsigned)_mm_movemask_epi8(x) & 0xff;
        const void *shuffle = v->shuffle[tops];

        if (v->n[tops] == 0)
            break;
        x = join(_mm_shuffle_epi8(x, _mm_load_si128(shuffle)));
        least = _mm_min_epu32(least, x);
        most = _mm_max_epu32(most, x);
        _mm_storeu_si128((__m128i *)(void *)at,
                         _mm_sub_epi32(x, _mm_set1_epi32(1)));
        pos += v->len[tops];
        at += v->n[tops];
    }
    extend(range, least, most);
    w->pos = pos;
    return (size_t)(at - out);
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
