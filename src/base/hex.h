/* hex - hexadecimal digits, read and written, inline. */
#ifndef CP_HEX_H
#define CP_HEX_H

#include <stddef.h>
#include <stdint.h>

/* A digit of either case, as a character or a rune; -1 if it is none. */
static inline int cp_hex_digit(uint32_t c)
{
    if (c >= '0' && c <= '9')
        return (int)c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? (int)c - 'a' + 10 : -1;
}

/* Writes two digits for each byte, and a NUL behind them. */
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
