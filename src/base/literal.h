/*
 * literal - numbers as options of the reference spell them, which is how Go
 * writes them in source: 1_000, 0x1f, 0o17, 0b11, 1e-3, 0x1p-4. C's readers
 * know less, and take blanks and "nan(1)".
 */
#ifndef CP_LITERAL_H
#define CP_LITERAL_H

#include <stdbool.h>

enum cp_literal {
    CP_LITERAL_OK,
    CP_LITERAL_BAD,   /* no number */
    CP_LITERAL_RANGE, /* one that is too large */
};

/* A whole number, in the base that its beginning tells: 017 is 15. */
enum cp_literal cp_literal_int(const char *text, long *out);

/* A whole number of decimal digits and perhaps a sign: 017 is 17. */
enum cp_literal cp_literal_decimal(const char *text, long *out);

/* A number, "inf" or "nan"; what is too small is 0. */
enum cp_literal cp_literal_float(const char *text, double *out);

#endif
