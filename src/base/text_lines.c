/* text_lines.c - scans text and parses numbers. */
#include "base/text_lines.h"

#include <string.h>

#include "base/hex.h"

int cp_text_hex_value(char c)
{
    return cp_hex_digit((unsigned char)c);
}

bool cp_text_next_line(struct cp_text *rest, struct cp_text *line)
{
    const char *newline;

    if (rest->pos == rest->end)
        return false;
    newline = memchr(rest->pos, '\n', cp_text_len(*rest));
    *line = (struct cp_text){ rest->pos, newline ? newline : rest->end };
    rest->pos = newline ? newline + 1 : rest->end;
    if (line->end > line->pos && line->end[-1] == '\r')
        line->end--;
    return true;
}

struct cp_text cp_text_trim(struct cp_text t)
{
    while (t.pos < t.end && (cp_text_is_white(*t.pos) || *t.pos == '\v'))
        t.pos++;
    while (t.end > t.pos && (cp_text_is_white(t.end[-1]) || t.end[-1] == '\v'))
        t.end--;
    return t;
}

bool cp_text_is_blank(struct cp_text t)
{
    return cp_text_len(cp_text_trim(t)) == 0;
}

bool cp_text_is_comment(struct cp_text t)
{
    return cp_text_starts(cp_text_trim(t), "#");
}

bool cp_text_equals(struct cp_text t, const char *literal)
{
    return cp_text_len(t) == strlen(literal) && cp_text_starts(t, literal);
}

bool cp_text_starts(struct cp_text t, const char *literal)
{
    size_t len = strlen(literal);

    return cp_text_len(t) >= len && memcmp(t.pos, literal, len) == 0;
}

const char *cp_text_find(struct cp_text t, const char *literal)
{
    size_t len = strlen(literal);

    if (cp_text_len(t) < len)
        return NULL;
    return memmem(t.pos, cp_text_len(t), literal, len);
}

bool cp_text_consume(struct cp_text *t, const char *literal)
{
    if (!cp_text_starts(*t, literal))
        return false;
    t->pos += strlen(literal);
    return true;
}

size_t cp_text_consume_blanks(struct cp_text *t)
{
    const char *start = t->pos;

    while (t->pos < t->end && *t->pos == ' ')
        t->pos++;
    return (size_t)(t->pos - start);
}

size_t cp_text_consume_white(struct cp_text *t)
{
    const char *start = t->pos;

    while (t->pos < t->end && cp_text_is_white(*t->pos))
        t->pos++;
    return (size_t)(t->pos - start);
}

/*
 * Sets *out to the bytes from t->pos to `to` and consumes them; false if there
 * are none.
 */
static bool consume_to(struct cp_text *t, const char *to, struct cp_text *out)
{
    if (to == t->pos)
        return false;
    *out = (struct cp_text){ t->pos, to };
    t->pos = to;
    return true;
}

bool cp_text_consume_digits(struct cp_text *t, struct cp_text *out)
{
    const char *p = t->pos;

    while (p < t->end && cp_text_is_digit(*p))
        p++;
    return consume_to(t, p, out);
}

bool cp_text_consume_hex(struct cp_text *t, struct cp_text *out)
{
    const char *p = t->pos;

    while (p < t->end && cp_text_hex_value(*p) >= 0)
        p++;
    return consume_to(t, p, out);
}

bool cp_text_consume_set(struct cp_text *t, const char *set,
                         struct cp_text *out)
{
    const char *p = t->pos;
    size_t n = strlen(set);

    while (p < t->end && memchr(set, *p, n))
        p++;
    return consume_to(t, p, out);
}

bool cp_text_consume_last_digits(struct cp_text *t, struct cp_text *out)
{
    out->pos = out->end = t->end;
    while (out->pos > t->pos && cp_text_is_digit(out->pos[-1]))
        out->pos--;
    t->end = out->pos;
    return out->pos < out->end;
}

bool cp_text_consume_last_blanks(struct cp_text *t)
{
    const char *end = t->end;

    while (t->end > t->pos && t->end[-1] == ' ')
        t->end--;
    return t->end < end;
}

bool cp_text_consume_word(struct cp_text *t, struct cp_text *out)
{
    const char *p = t->pos;

    while (p < t->end && !cp_text_is_white(*p))
        p++;
    return consume_to(t, p, out);
}

bool cp_text_consume_address(struct cp_text *t, struct cp_text *out)
{
    struct cp_text at = *t;

    while ((at.pos = cp_text_find(at, "0x")) != NULL) {
        at.pos += 2;
        if (cp_text_consume_set(&at, "0123456789abcdef", out)) {
            *t = at;
            return true;
        }
    }
    return false;
}

/* Appends a digit to *value; false on overflow. */
static bool add_digit(uint64_t *value, unsigned base, int digit)
{
    uint64_t more;

    return digit >= 0 && (unsigned)digit < base &&
           !__builtin_mul_overflow(*value, base, &more) &&
           !__builtin_add_overflow(more, (unsigned)digit, value);
}

static bool with_sign(uint64_t value, bool is_negative, int64_t *out)
{
    if (value > (uint64_t)INT64_MAX + is_negative)
        return false;
    *out = (int64_t)(is_negative ? 0 - value : value);
    return true;
}

bool cp_text_to_int(struct cp_text t, int64_t *out)
{
    bool is_negative = cp_text_consume(&t, "-");
    uint64_t value = 0;

    if (t.pos == t.end)
        return false;
    for (; t.pos < t.end; t.pos++)
        if (!cp_text_is_digit(*t.pos) || !add_digit(&value, 10, *t.pos - '0'))
            return false;
    return with_sign(value, is_negative, out);
}

bool cp_text_to_hex(struct cp_text t, uint64_t *out)
{
    uint64_t value = 0;

    if (t.pos == t.end)
        return false;
    for (; t.pos < t.end; t.pos++)
        if (!add_digit(&value, 16, cp_text_hex_value(*t.pos)))
            return false;
    *out = value;
    return true;
}

/* Consumes the prefix that gives the base. */
static unsigned consume_base(struct cp_text *t)
{
    if (cp_text_consume(t, "0x") || cp_text_consume(t, "0X"))
        return 16;
    if (cp_text_consume(t, "0b") || cp_text_consume(t, "0B"))
        return 2;
    if (cp_text_consume(t, "0o") || cp_text_consume(t, "0O"))
        return 8;
    return cp_text_starts(*t, "0") && cp_text_len(*t) > 1 ? 8 : 10;
}

bool cp_text_to_literal(struct cp_text t, int64_t *out)
{
    bool is_negative = cp_text_consume(&t, "-");
    const char *start;
    uint64_t value = 0;
    unsigned base;

    if (!is_negative)
        (void)cp_text_consume(&t, "+");
    start = t.pos;
    base = consume_base(&t);
    if (t.pos == t.end || t.end[-1] == '_')
        return false;
    for (; t.pos < t.end; t.pos++) {
        if (*t.pos == '_' && t.pos > start && t.pos[-1] != '_')
            continue;
        if (!add_digit(&value, base, cp_text_hex_value(*t.pos)))
            return false;
    }
    return with_sign(value, is_negative, out);
}
