/*
 * decode - decodes a profile.proto message into a struct cp_profile.
 *
 *   Profile   1 sample_type*  2 sample*  3 mapping*  4 location*  5 function*
 *             6 string_table*  7 drop_frames  8 keep_frames  9 time_nanos
 *             10 duration_nanos  11 period_type  12 period  13 comment*
 *             14 default_sample_type  15 doc_url
 *   ValueType 1 type  2 unit
 *   Sample    1 location_id*  2 value*  3 label*
 *   Label     1 key  2 str  3 num  4 num_unit
 *   Mapping   1 id  2 start  3 limit  4 offset  5 filename  6 build_id
 *             7..10 has functions, filenames, line numbers, inline frames
 *   Location  1 id  2 mapping_id  3 address  4 line*  5 is_folded
 *   Line      1 function_id  2 line  3 column
 *   Function  1 id  2 name  3 system_name  4 filename  5 start_line
 *
 * Text fields hold an index into string_table. Decoding has three steps: a scan
 * finds the byte range of each table (decode_scan.h), one thread decodes the
 * tables, and all cores decode the samples (decode_samples.h).
 */
#ifndef CP_DECODE_H
#define CP_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cp_bytes;
struct cp_decode_samples;
struct cp_profile;

/*
 * Decodes a profile. Returns NULL with *err set: CP_EOTHER if the bytes are not
 * a profile.proto message, so that the caller can try the next format;
 * CP_EFORMAT if the message is malformed. With may_discard, pages of `raw` are
 * released as they are decoded.
 */
struct cp_profile *cp_decode(struct cp_bytes *raw, bool may_discard,
                             struct cp_error *err);

/* Called with the decoded tables, to decode the samples. */
typedef enum cp_status cp_decode_step(const struct cp_decode_samples *in,
                                      void *context, struct cp_error *err);

/*
 * Decodes the tables of a message into the empty profile p, then calls `step`.
 */
enum cp_status cp_decode_tables(struct cp_profile *p, const uint8_t *data,
                                size_t len, cp_decode_step *step, void *context,
                                struct cp_error *err);

#endif
