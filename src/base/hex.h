/* hex - parses and writes hexadecimal digits, inline. */
#ifndef CP_HEX_H
#define CP_HEX_H

#include <stddef.h>
#include <stdint.h>

/* Returns the value of a digit of either case; -1 if c is not a digit. */
static inline int cp_hex_digit(uint32_t c)
{
    if (c >= '0' && c <= '9')
        return (int)c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? (int)c - 'a' + 10 : -1;
}

/* Writes two digits per byte and a terminating NUL. */
static inline void cp_hex_text(const uint8_t *bytes, size_t n, char *out)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    *out = '\0';
}

#endif
