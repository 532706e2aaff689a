/* utf8.c - UTF-8 decoding by lead byte. */
#include "base/utf8.h"

#include <string.h>

/*
 * Returns the sequence length for a lead byte, and its payload bits; 0 if it is
 * not one.
 */
static size_t lead(uint8_t byte, uint32_t *out_bits)
{
    static const struct {
        uint8_t mask, value;
    } leads[] = {
        { 0x80, 0x00 }, { 0xe0, 0xc0 }, { 0xf0, 0xe0 }, { 0xf8, 0xf0 }
    };

    for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
        if ((byte & leads[i].mask) == leads[i].value) {
            *out_bits = byte & (uint8_t)~leads[i].mask;
            return i + 1;
        }
    }
    return 0;
}

size_t cp_utf8_decode(const char *text, size_t len, uint32_t *out_rune)
{
    static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
    uint32_t rune = 0;
    size_t n = len ? lead((uint8_t)text[0], &rune) : 0;

    if (n == 0 || n > len)
        return 0;
    for (size_t i = 1; i < n; i++) {
        uint8_t byte = (uint8_t)text[i];

        if ((byte & 0xc0) != 0x80)
            return 0;
        rune = rune << 6 | (byte & 0x3f);
    }
    if (rune < smallest[n] || rune > CP_UTF8_MAX_RUNE || rune >> 11 == 0x1b)
        return 0; /* overlong, too large, or a surrogate (D800 to DFFF) */
    *out_rune = rune;
    return n;
}

size_t cp_utf8_encode(uint32_t rune, char out[static 4])
{
    static const uint8_t marks[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    size_t n = rune < 0x80 ? 1 : rune < 0x800 ? 2 : rune < 0x10000 ? 3 : 4;

    for (size_t i = n - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (rune & 0x3f));
        rune >>= 6;
    }
    out[0] = (char)(marks[n] | rune);
    return n;
}

/* Returns the length of the ASCII prefix; checks eight bytes at a time. */
static size_t ascii_prefix(const char *text, size_t len)
{
    size_t i = 0;
    uint64_t block;

    for (; len - i >= sizeof(block); i += sizeof(block)) {
        memcpy(&block, text + i, sizeof(block));
        if (block & 0x8080808080808080u)
            break;
    }
    while (i < len && (uint8_t)text[i] < 0x80)
        i++;
    return i;
}

bool cp_utf8_is_valid(const char *text, size_t len)
{
    size_t i = 0;
    uint32_t rune;

    while ((i += ascii_prefix(text + i, len - i)) < len) {
        size_t n = cp_utf8_decode(text + i, len - i, &rune);

        if (n == 0)
            return false;
        i += n;
    }
    return true;
}
