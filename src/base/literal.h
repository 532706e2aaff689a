/*
 * literal - parses numbers in the syntax of Go source: 1_000, 0x1f, 0o17, 0b11,
 * 1e-3, 0x1p-4.
 *
 * The reference tool accepts it in options. strtol and strtod know less, and
 * accept blanks and "nan(1)".
 */
#ifndef CP_LITERAL_H
#define CP_LITERAL_H

#include <stdbool.h>

enum cp_literal {
    CP_LITERAL_OK,
    CP_LITERAL_BAD,   /* not a number */
    CP_LITERAL_RANGE, /* a number that is too large */
};

/* Parses an integer in the base given by its prefix: 017 is 15. */
enum cp_literal cp_literal_int(const char *text, long *out);

/* Parses a decimal integer with an optional sign: 017 is 17. */
enum cp_literal cp_literal_decimal(const char *text, long *out);

/* Parses a number, "inf" or "nan"; underflow gives 0. */
enum cp_literal cp_literal_float(const char *text, double *out);

#endif
