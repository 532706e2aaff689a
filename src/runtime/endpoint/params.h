/*
 * params - parses the numbers of a query as Go does.
 *
 * strtod() and strtol() are not used: they skip blanks, and the locale of the
 * program changes the decimal point.
 */
#ifndef CP_PARAMS_H
#define CP_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cp_http_request;

#define CP_MAX_SECONDS 31536000 /* one year */

/*
 * Parses decimal digits with an optional sign. Returns false if the string is
 * not a 64-bit integer.
 */
bool cp_params_int(const char *text, int64_t *out);

/*
 * Parses decimal digits with an optional point and exponent. Returns false for
 * any other string.
 */
bool cp_params_float(const char *text, double *out);

/*
 * Parses an address of len characters: 0x, 0o, 0b or 0 and digits, or decimal.
 */
bool cp_params_address(const char *text, size_t len, uint64_t *out);

/*
 * Returns the integer value of a parameter, or 0 if it is absent or not an
 * integer.
 */
int64_t cp_params_get(const struct cp_http_request *r, const char *name);

#endif
