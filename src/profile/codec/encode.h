/*
 * encode - encodes a profile as profile.proto (field numbers: decode.h).
 *
 * Strings are numbered in the order of first use. Labels keep the order of
 * their set. Lists use packed encoding. Tables are written completely, unused
 * entries included.
 */
#ifndef CP_ENCODE_H
#define CP_ENCODE_H

#include "base/error.h"

struct cp_out;
struct cp_profile;

/* Appends the message to out. */
enum cp_status cp_encode(const struct cp_profile *p, struct cp_out *out,
                         struct cp_error *err);

/* Appends the message to out, compressed with gzip. */
enum cp_status cp_encode_gzip(const struct cp_profile *p, struct cp_out *out,
                              struct cp_error *err);

#endif
