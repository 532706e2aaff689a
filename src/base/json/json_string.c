/*
 * json_string.c - finds the end of a JSON string and decodes its escapes.
 *
 * Most bytes of a file are strings without escapes, so the search for the end
 * checks eight bytes at a time.
 */
#include "base/json/json_string.h"

#include <string.h>

#include "base/utf8.h"

/* Whether one of the eight bytes is '"' or '\\'. */
static bool has_special(uint64_t word)
{
    const uint64_t low = 0x0101010101010101u, high = 0x8080808080808080u;
    uint64_t quote = word ^ (low * '"'), slash = word ^ (low * '\\');

    return (((quote - low) & ~quote) | ((slash - low) & ~slash)) & high;
}

/* Returns the first '"' or '\\' from p, or the end. */
static const char *plain_end(const char *p, const char *end)
{
    uint64_t word;

    for (; end - p >= 8; p += 8) {
        memcpy(&word, p, sizeof(word));
        if (has_special(word))
            break;
    }
    while (p < end && *p != '"' && *p != '\\')
        p++;
    return p;
}

const char *cp_json_string_end(const char *p, const char *end, bool *is_plain)
{
    *is_plain = true;
    while ((p = plain_end(p, end)) < end) {
        if (*p == '"')
            return p + 1;
        *is_plain = false;
        if (end - p < 2)
            break;
        p += 2;
    }
    return NULL;
}

static bool hex4(const char *p, const char *end, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++) {
        int digit = end - p > i ? cp_text_hex_value(p[i]) : -1;

        if (digit < 0)
            return false;
        *out = *out << 4 | (uint32_t)digit;
    }
    return true;
}

/* Decodes the four digits behind \u, and a second surrogate if there is one. */
static const char *unescape_rune(const char *p, const char *end, uint32_t *rune)
{
    uint32_t low;

    if (!hex4(p, end, rune))
        return NULL;
    p += 4;
    if (*rune >= 0xd800 && *rune < 0xdc00 && end - p >= 6 && p[0] == '\\' &&
        p[1] == 'u' && hex4(p + 2, end, &low) && low >= 0xdc00 &&
        low < 0xe000) {
        *rune = 0x10000 + ((*rune - 0xd800) << 10) + (low - 0xdc00);
        return p + 6;
    }
    if (*rune >= 0xd800 && *rune < 0xe000)
        *rune = CP_UTF8_REPLACEMENT;
    return p;
}

/* Decodes and writes one escape; NULL if it is invalid. */
static const char *unescape_one(const char *p, const char *end, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *found = *p ? strchr(from, *p) : NULL;
    uint32_t rune;

    if (found) {
        *(*out)++ = to[found - from];
        return p + 1;
    }
    p = *p == 'u' ? unescape_rune(p + 1, end, &rune) : NULL;
    if (p)
        *out += cp_utf8_encode(rune, *out);
    return p;
}

char *cp_json_string_decode(struct cp_text in, char *out, const char **bad)
{
    while (in.pos < in.end) {
        const char *stop = memchr(in.pos, '\\', cp_text_len(in));
        size_t n = (size_t)((stop ? stop : in.end) - in.pos);

        memcpy(out, in.pos, n);
        out += n;
        in.pos = stop ? unescape_one(stop + 1, in.end, &out) : in.end;
        if (!in.pos) {
            *bad = stop;
            return NULL;
        }
    }
    return out;
}
