/*
 * encode - a profile to profile.proto bytes (see decode.h for the fields).
 *
 * Text is numbered in the order of first use, labels stand in the order of
 * their set, lists are packed. Tables are written whole: what no sample uses
 * stays.
 */
#ifndef CP_ENCODE_H
#define CP_ENCODE_H

#include "base/error.h"

struct cp_out;
struct cp_profile;

/* Appends the message to out. */
enum cp_status cp_encode(const struct cp_profile *p, struct cp_out *out,
                         struct cp_error *err);

/* The same, packed with gzip. */
enum cp_status cp_encode_gzip(const struct cp_profile *p, struct cp_out *out,
                              struct cp_error *err);

#endif
