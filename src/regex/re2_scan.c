/*
 * re2_scan.c - reads runes, escapes and counts of an RE2 pattern.
 *
 * The part of the pattern that a message quotes is the same as in Go's
 * regexp/syntax, because users compare the messages.
 */
#include "regex/re2_scan.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "base/hex.h"
#include "base/utf8.h"

enum cp_status cp_re2_scan_fail(const struct cp_re2_scan *s, const char *what,
                                size_t from, size_t to)
{
    size_t len = to - from < INT_MAX ? to - from : INT_MAX;

    return cp_error_set(s->err, CP_EUSAGE, "error parsing regexp: %s: `%.*s`",
                        what, (int)len, s->text + from);
}

int cp_re2_scan_peek(const struct cp_re2_scan *s, size_t ahead)
{
    return s->len - s->pos > ahead ? (uint8_t)s->text[s->pos + ahead] : -1;
}

size_t cp_re2_scan_find(const struct cp_re2_scan *s, size_t from,
                        const char *what)
{
    const char *at;

    if (from > s->len)
        return SIZE_MAX;
    at = memmem(s->text + from, s->len - from, what, strlen(what));
    return at ? (size_t)(at - s->text) : SIZE_MAX;
}

enum cp_status cp_re2_scan_check_utf8(const struct cp_re2_scan *s, size_t from,
                                      size_t to)
{
    while (from < to) {
        uint32_t rune;
        size_t n = cp_utf8_decode(s->text + from, to - from, &rune);

        if (n == 0)
            return cp_re2_scan_fail(s, "invalid UTF-8", from, to);
        from += n;
    }
    return CP_OK;
}

enum cp_status cp_re2_scan_rune(struct cp_re2_scan *s, uint32_t *out)
{
    size_t n = cp_utf8_decode(s->text + s->pos, s->len - s->pos, out);

    if (n == 0)
        return cp_re2_scan_fail(s, "invalid UTF-8", s->pos, s->len);
    s->pos += n;
    return CP_OK;
}

static enum cp_status bad_escape(const struct cp_re2_scan *s, size_t from)
{
    return cp_re2_scan_fail(s, "invalid escape sequence", from, s->pos);
}

/* Reads the rest of \x{...}; `from` is the position of the backslash. */
static enum cp_status braced_hex(struct cp_re2_scan *s, size_t from,
                                 uint32_t *out)
{
    uint32_t rune, value = 0;
    size_t first = s->pos;

    while (s->pos < s->len) {
        if (cp_re2_scan_rune(s, &rune) != CP_OK)
            return CP_EUSAGE;
        if (rune == '}') {
            if (s->pos - first < 2)
                break;
            *out = value;
            return CP_OK;
        }
        if (cp_hex_digit(rune) < 0)
            break;
        value = value * 16 + (uint32_t)cp_hex_digit(rune);
        if (value > CP_UTF8_MAX_RUNE)
            break;
    }
    return bad_escape(s, from);
}

/* Reads the digits behind \x; `from` is the position of the backslash. */
static enum cp_status hex_escape(struct cp_re2_scan *s, size_t from,
                                 uint32_t *out)
{
    uint32_t high, low;

    if (s->pos == s->len)
        return bad_escape(s, from);
    if (cp_re2_scan_rune(s, &high) != CP_OK)
        return CP_EUSAGE;
    if (high == '{')
        return braced_hex(s, from, out);
    if (s->pos == s->len)
        return bad_escape(s, from);
    if (cp_re2_scan_rune(s, &low) != CP_OK)
        return CP_EUSAGE;
    if (cp_hex_digit(high) < 0 || cp_hex_digit(low) < 0)
        return bad_escape(s, from);
    *out = (uint32_t)(cp_hex_digit(high) * 16 + cp_hex_digit(low));
    return CP_OK;
}

static bool at_octal(const struct cp_re2_scan *s)
{
    int c = cp_re2_scan_peek(s, 0);

    return c >= '0' && c <= '7';
}

/* Reads up to three octal digits; the first is already read. */
static enum cp_status octal_escape(struct cp_re2_scan *s, size_t from,
                                   uint32_t first, uint32_t *out)
{
    uint32_t value = first - '0';

    if (first != '0' && !at_octal(s))
        return bad_escape(s, from); /* a back-reference in other syntaxes */
    for (int i = 0; i < 2 && at_octal(s); i++)
        value = value * 8 + (uint32_t)(s->text[s->pos++] - '0');
    *out = value;
    return CP_OK;
}

enum cp_status cp_re2_scan_escape(struct cp_re2_scan *s, uint32_t *out)
{
    static const char letters[] = "afnrtv", meanings[] = "\a\f\n\r\t\v";
    size_t from = s->pos++;
    const char *letter;
    uint32_t rune;

    if (s->pos == s->len)
        return cp_re2_scan_fail(s, "trailing backslash at end of expression",
                                s->len, s->len);
    if (cp_re2_scan_rune(s, &rune) != CP_OK)
        return CP_EUSAGE;
    if (rune >= '0' && rune <= '7')
        return octal_escape(s, from, rune, out);
    if (rune == 'x')
        return hex_escape(s, from, out);
    letter = rune && rune < 0x80 ? strchr(letters, (int)rune) : NULL;
    if (letter)
        rune = (uint32_t)meanings[letter - letters];
    else if (rune >= 0x80 || isalnum((int)rune))
        return bad_escape(s, from);
    *out = rune;
    return CP_OK;
}

/* Reads a decimal number without leading zeros; -1 if there is none. */
static int count(struct cp_re2_scan *s)
{
    size_t first = s->pos;
    int value = 0;

    while (s->pos < s->len && isdigit((uint8_t)s->text[s->pos])) {
        int digit = s->text[s->pos++] - '0';

        value = value > INT_MAX / 10 - 1 ? INT_MAX : value * 10 + digit;
    }
    if (s->pos == first || (s->text[first] == '0' && s->pos - first > 1))
        return -1;
    return value;
}

bool cp_re2_scan_counts(struct cp_re2_scan *s, int *out_min, int *out_max)
{
    struct cp_re2_scan ahead = *s;
    int min, max;

    ahead.pos++;
    min = max = count(&ahead);
    if (min >= 0 && cp_re2_scan_peek(&ahead, 0) == ',') {
        ahead.pos++;
        max = -1;
        if (cp_re2_scan_peek(&ahead, 0) != '}' && (max = count(&ahead)) < 0)
            return false;
    }
    if (min < 0 || cp_re2_scan_peek(&ahead, 0) != '}')
        return false;
    s->pos = ahead.pos + 1;
    *out_min = min;
    *out_max = max;
    return true;
}
