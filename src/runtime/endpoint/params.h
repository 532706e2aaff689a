/*
 * params - numbers in a query, read as Go reads them.
 *
 * Not with strtod and the like: they take blanks, and the point that the
 * program's locale has.
 */
#ifndef CP_PARAMS_H
#define CP_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cp_http_request;

#define CP_MAX_SECONDS 31536000 /* a year */

/* Digits with a sign, all of the text, within 64 bits. */
bool cp_params_int(const char *text, int64_t *out);

/* Digits, perhaps a point and an exponent; all of the text. */
bool cp_params_float(const char *text, double *out);

/* An address: 0x.., 0o.., 0b.., 0.. or decimal; all of len bytes. */
bool cp_params_address(const char *text, size_t len, uint64_t *out);

/* A parameter as an integer; 0 when it is absent or none. */
int64_t cp_params_get(const struct cp_http_request *r, const char *name);

#endif
