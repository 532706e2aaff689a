/*
 * params.c - parses numbers without strtol() and independently of the locale.
 */
#include "runtime/endpoint/params.h"

#include <string.h>

#include "base/assert/assert.h"
#include "http/request.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool cp_params_int(const char *text, int64_t *out)
{
    bool is_negative = *text == '-';
    uint64_t limit = (uint64_t)INT64_MAX + is_negative, value = 0;

    text += *text == '-' || *text == '+';
    if (!*text)
        return false;
    for (; *text; text++) {
        uint64_t digit = (uint64_t)(*text - '0');

        if (!is_digit(*text) || value > (limit - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = is_negative ? (int64_t)(0 - value) : (int64_t)value;
    return true;
}

/* Adds the digits after the point to *value and returns the end of them. */
static const char *read_fraction(const char *at, double *value,
                                 bool *has_digits)
{
    double unit = 0.1;

    for (; is_digit(*at); at++, unit /= 10) {
        *value += unit * (*at - '0');
        *has_digits = true;
    }
    return at;
}

bool cp_params_float(const char *text, double *out)
{
    bool is_negative = *text == '-', has_digits = false;
    double value = 0;
    int64_t power = 0;

    text += *text == '-' || *text == '+';
    for (; is_digit(*text); text++, has_digits = true)
        value = value * 10 + (*text - '0');
    if (*text == '.')
        text = read_fraction(text + 1, &value, &has_digits);
    if (has_digits && (*text == 'e' || *text == 'E')) {
        if (!cp_params_int(text + 1, &power) || power > 300 || power < -300)
            return false;
        text += strlen(text);
    }
    if (!has_digits || *text)
        return false;
    for (; power > 0; power--)
        value *= 10;
    for (; power < 0; power++)
        value /= 10;
    *out = is_negative ? -value : value;
    return true;
}

static unsigned digit_of(char c)
{
    if (is_digit(c))
        return (unsigned)(c - '0');
    if ((c | 32) >= 'a' && (c | 32) <= 'f')
        return (unsigned)((c | 32) - 'a') + 10;
    return 99;
}

/* Skips the prefix of a number and returns its base. */
static unsigned skip_prefix(const char **text, size_t *len)
{
    unsigned base = 10, skip = 0;
    char second = *len > 1 ? (char)((*text)[1] | 32) : '\0';

    if (*len > 1 && (*text)[0] == '0') {
        base = second == 'x' ? 16 : second == 'b' ? 2 : 8;
        skip = second == 'x' || second == 'b' || second == 'o' ? 2 : 1;
    }
    CP_ASSERT(skip <= *len);
    *text += skip;
    *len -= skip;
    return base;
}

bool cp_params_address(const char *text, size_t len, uint64_t *out)
{
    unsigned base = skip_prefix(&text, &len);
    uint64_t value = 0;

    CP_ASSERT(base >= 2 && base <= 16);
    if (len == 0)
        return false;
    for (size_t i = 0; i < len; i++) {
        unsigned digit = digit_of(text[i]);

        if (digit >= base || value > (UINT64_MAX - digit) / base)
            return false;
        value = value * base + digit;
    }
    *out = value;
    return true;
}

int64_t cp_params_get(const struct cp_http_request *r, const char *name)
{
    char text[32];
    int64_t value;

    if (!cp_http_request_param(r, name, text, sizeof(text)) ||
        !cp_params_int(text, &value))
        return 0;
    return value;
}
