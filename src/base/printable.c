/* printable.c - escapes control and invisible characters. */
#include "base/printable.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* Code point ranges, ascending; ASCII is handled before. */
static const uint32_t hidden[][2] = {
    { 0x80, 0x9f },       /* C1 */
    { 0xad, 0xad },       /* soft hyphen */
    { 0x61c, 0x61c },     /* Arabic letter mark */
    { 0x180e, 0x180e },   /* Mongolian vowel separator */
    { 0x200b, 0x200f },   /* zero width, direction marks */
    { 0x2028, 0x202e },   /* line separators, embeddings, overrides */
    { 0x2060, 0x206f },   /* joiners, isolates, deprecated controls */
    { 0xfeff, 0xfeff },   /* byte order mark */
    { 0xfff9, 0xfffb },   /* interlinear annotation */
    { 0xe0000, 0xe007f }, /* tags */
};

static bool is_shown(uint32_t rune)
{
    if (rune < 0x80)
        return (rune >= 0x20 && rune != 0x7f) || rune == '\n' || rune == '\t';
    for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
        if (rune <= hidden[i][1])
            return rune < hidden[i][0];
    return true;
}

size_t cp_printable_next(const char *text, size_t len,
                         char out[CP_PRINTABLE_BYTES], size_t *out_len)
{
    unsigned char byte = (unsigned char)*text;
    uint32_t rune = byte;
    size_t n = byte < 0x80 ? 1 : cp_utf8_decode(text, len, &rune);
    int shown;

    if (n > 0 && is_shown(rune)) {
        memcpy(out, text, n);
        *out_len = n;
        return n;
    }
    if (n <= 1)
        shown = snprintf(out, CP_PRINTABLE_BYTES, "\\x%02x", byte);
    else if (rune <= 0xffff)
        shown = snprintf(out, CP_PRINTABLE_BYTES, "\\u%04x", rune);
    else
        shown = snprintf(out, CP_PRINTABLE_BYTES, "\\U%08x", rune);
    *out_len = (size_t)shown;
    return n ? n : 1;
}

void cp_printable_line(char *out, size_t cap, const char *text)
{
    size_t len = strlen(text), used = 0;
    char shown[CP_PRINTABLE_BYTES];

    for (size_t i = 0, n; i < len;) {
        i += cp_printable_next(text + i, len - i, shown, &n);
        if (used + n + 1 > cap)
            break;
        memcpy(out + used, shown, n);
        if (*shown == '\n' || *shown == '\t')
            out[used] = ' ';
        used += n;
    }
    out[used] = '\0';
}

bool cp_printable_is(const char *text, size_t len)
{
    char shown[CP_PRINTABLE_BYTES];

    for (size_t i = 0; i < len;) {
        size_t n, taken = cp_printable_next(text + i, len - i, shown, &n);

        if (n != taken || shown[0] != text[i] || *shown == '\n' ||
            *shown == '\t')
            return false;
        i += taken;
    }
    return true;
}

size_t cp_printable_unfinished(const char *text, size_t len)
{
    for (size_t n = 1; n <= 3 && n <= len; n++) {
        unsigned char byte = (unsigned char)text[len - n];
        size_t whole = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;

        if (byte < 0x80)
            return 0;
        if (byte >= 0xc0)
            return whole > n ? n : 0;
    }
    return 0;
}
