/* json_number.c - parses JSON numbers, with a fast path for short ones. */
#include "base/json/json_number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES 400 /* maximum bytes of a number */
#define QUICK_DIGITS                                                           \
    15 /* a double represents all integers with this many digits */

static const char *digits_end(const char *p, const char *end)
{
    while (p < end && cp_text_is_digit(*p))
        p++;
    return p;
}

const char *cp_json_number_end(const char *p, const char *end)
{
    const char *start;

    p += p < end && *p == '-';
    start = p;
    p = digits_end(p, end);
    if (p == start)
        return NULL;
    if (p < end && *p == '.') {
        start = ++p;
        p = digits_end(p, end);
        if (p == start)
            return NULL;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        p += p < end && (*p == '-' || *p == '+');
        start = p;
        p = digits_end(p, end);
        if (p == start)
            return NULL;
    }
    return p < end && (*p == '.' || *p == '-' || *p == '+') ? NULL : p;
}

/* Parses "123" or "-4.56"; exact while digits and power of ten fit a double. */
static bool parse_short(struct cp_text t, double *out)
{
    static const double powers[QUICK_DIGITS + 1] = { 1,    1e1,  1e2,  1e3,
                                                     1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11,
                                                     1e12, 1e13, 1e14, 1e15 };
    bool is_negative = *t.pos == '-';
    const char *point = NULL;
    uint64_t digits = 0;
    size_t n = 0;

    for (t.pos += is_negative; t.pos < t.end; t.pos++) {
        if (cp_text_is_digit(*t.pos)) {
            digits = digits * 10 + (uint64_t)(*t.pos - '0');
            n++;
        } else if (*t.pos == '.') {
            point = t.pos + 1;
        } else {
            return false;
        }
        if (n > QUICK_DIGITS)
            return false;
    }
    *out = (double)digits / powers[point ? t.end - point : 0];
    *out = is_negative ? -*out : *out;
    return true;
}

/* Parses any number; returns an error message, or NULL. */
static const char *parse_any(struct cp_text number, double *out)
{
    char copy[NUMBER_BYTES + 1];
    size_t len = cp_text_len(number);
    double value;

    if (len > NUMBER_BYTES)
        return "a number that is too long";
    memcpy(copy, number.pos, len);
    copy[len] = '\0';
    value = strtod(copy, NULL);
    if (!isfinite(value))
        return "bad number";
    *out = value;
    return NULL;
}

const char *cp_json_number_value(struct cp_text number, double *out)
{
    return parse_short(number, out) ? NULL : parse_any(number, out);
}
