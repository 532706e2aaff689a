/* hex - the value of a hexadecimal digit, inline. */
#ifndef CP_HEX_H
#define CP_HEX_H

#include <stdint.h>

/* A digit of either case, as a character or a rune; -1 if it is none. */
static inline int cp_hex_digit(uint32_t c)
{
    if (c >= '0' && c <= '9')
        return (int)c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? (int)c - 'a' + 10 : -1;
}

#endif
