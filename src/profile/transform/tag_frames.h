/*
 * tag_frames - adds labels to stacks as frames (tagroot, tagleaf).
 *
 * Each sample gets a frame per key: the function is the label's value, the file
 * is the key. A sample without the key gets a frame with an empty name, so that
 * all stacks have the same form.
 */
#ifndef CP_TAG_FRAMES_H
#define CP_TAG_FRAMES_H

#include <stdbool.h>

#include "base/error.h"

struct cp_profile;

/*
 * Adds frames for the comma-separated keys in `root` (the first outermost) and
 * `leaf` (the last innermost). Numbers are formatted in `unit`. Sets whether
 * any sample had one of the keys.
 */
enum cp_status cp_tag_frames_add(struct cp_profile *p, const char *root,
                                 const char *leaf, const char *unit,
                                 bool *root_matched, bool *leaf_matched,
                                 struct cp_error *err);

#endif
