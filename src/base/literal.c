/* literal.c - parses numbers in Go's syntax. */
#include "base/literal.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hex.h"

#define MAX_BYTES                                                              \
    400 /* maximum bytes of a number; a double prints in at most 325 digits */

static const char *after_sign(const char *text)
{
    return *text == '+' || *text == '-' ? text + 1 : text;
}

/* Returns 2, 8 or 16 by the letter after a leading 0; 0 if there is none. */
static int base_of(const char *digits)
{
    if (digits[0] != '0' || !digits[1])
        return 0;
    switch (tolower((unsigned char)digits[1])) {
    case 'b':
        return 2;
    case 'o':
        return 8;
    case 'x':
        return 16;
    default:
        return 0;
    }
}

/*
 * Copies a number without its underscores. An underscore must follow a digit or
 * the letter of a base, and precede a digit.
 */
static bool copy_plain(const char *text, char *out)
{
    const char *digits = after_sign(text);
    int base = base_of(digits);
    const char *begin = base ? digits + 2 : digits;
    bool is_digit = base != 0;

    if (strlen(text) >= MAX_BYTES)
        return false;
    memcpy(out, text, (size_t)(begin - text));
    out += begin - text;
    for (const char *p = begin; *p; p++) {
        bool was_digit = is_digit;
        int digit = cp_hex_digit((unsigned char)*p);

        is_digit = digit >= 0 && (digit < 10 || base == 16);
        if (*p == '_' ? !was_digit : p > begin && p[-1] == '_' && !is_digit)
            return false;
        if (*p != '_')
            *out++ = *p;
    }
    *out = '\0';
    return *begin == '\0' || begin[strlen(begin) - 1] != '_';
}

/* Parses digits of a base; `text` has the sign. */
static enum cp_literal read_digits(const char *text, const char *digits,
                                   int base, long *out)
{
    unsigned long size = 0;
    bool is_over = false;

    if (*digits == '\0')
        return CP_LITERAL_BAD;
    for (; *digits; digits++) {
        int digit = cp_hex_digit((unsigned char)*digits);

        if (digit < 0 || digit >= base)
            return CP_LITERAL_BAD;
        is_over |= __builtin_mul_overflow(size, (unsigned long)base, &size);
        is_over |= __builtin_add_overflow(size, (unsigned long)digit, &size);
    }
    if (is_over || size > (unsigned long)LONG_MAX + (*text == '-'))
        return CP_LITERAL_RANGE;
    *out = (long)(*text == '-' ? 0 - size : size);
    return CP_LITERAL_OK;
}

enum cp_literal cp_literal_int(const char *text, long *out)
{
    char plain[MAX_BYTES];
    const char *digits;
    int base;

    if (!copy_plain(text, plain))
        return CP_LITERAL_BAD;
    digits = after_sign(plain);
    base = base_of(digits);
    if (base)
        return read_digits(plain, digits + 2, base, out);
    return read_digits(plain, digits, *digits == '0' ? 8 : 10, out);
}

enum cp_literal cp_literal_decimal(const char *text, long *out)
{
    return read_digits(text, after_sign(text), 10, out);
}

/* Whether the string is "inf" or "nan" in one of the accepted spellings. */
static bool is_inf_or_nan(const char *text)
{
    return strcasecmp(text, "nan") == 0 ||
           strcasecmp(after_sign(text), "inf") == 0 ||
           strcasecmp(after_sign(text), "infinity") == 0;
}

enum cp_literal cp_literal_float(const char *text, double *out)
{
    char plain[MAX_BYTES], *end;
    const char *digits;
    bool word = is_inf_or_nan(text);

    if (!copy_plain(text, plain))
        return CP_LITERAL_BAD;
    digits = after_sign(plain);
    if (!word && *digits != '.' && !isdigit((unsigned char)*digits))
        return CP_LITERAL_BAD;
    if (base_of(digits) == 16 && !strpbrk(digits, "pP"))
        return CP_LITERAL_BAD;
    *out = strtod(plain, &end);
    if (end == plain || *end != '\0')
        return CP_LITERAL_BAD;
    return isinf(*out) && !word ? CP_LITERAL_RANGE : CP_LITERAL_OK;
}
