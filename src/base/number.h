/* number - integer arithmetic and conversion without undefined behaviour. */
#ifndef CP_NUMBER_H
#define CP_NUMBER_H

#include <stdint.h>

/* Returns the absolute value; INT64_MIN stays INT64_MIN. */
static inline int64_t cp_abs(int64_t value)
{
    return value < 0 ? (int64_t)(0 - (uint64_t)value) : value;
}

/* Returns the sum, modulo 2^64. */
static inline int64_t cp_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Truncates towards zero; out of range gives INT64_MIN, as on x86-64. */
static inline int64_t cp_to_int64(double value)
{
    return value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : INT64_MIN;
}

/*
 * Rounds to nearest, halves away from zero; out of range gives INT64_MIN.
 * round() is in libm, and the library may depend only on libc.
 */
static inline int64_t cp_round_int64(double value)
{
    int64_t whole = cp_to_int64(value);
    double rest = value - (double)whole;

    if (whole == INT64_MIN || (rest > -0.5 && rest < 0.5))
        return whole;
    return rest > 0 ? whole + 1 : whole - 1;
}

#endif
