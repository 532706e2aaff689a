/*
 * tag_frames - labels as frames of the stack (tagroot, tagleaf).
 *
 * For each sample and key a frame is added whose function is the label's
 * value and whose file is the key. A sample without the key gets a frame with
 * an empty name, so that all stacks stay comparable.
 */
#ifndef CP_TAG_FRAMES_H
#define CP_TAG_FRAMES_H

#include <stdbool.h>

#include "base/error.h"

struct cp_profile;

/*
 * Adds frames for the comma-separated keys in `root` (the first outermost)
 * and `leaf` (the last innermost). Numbers are written in `unit`. Says
 * whether any sample had one of the keys.
 */
enum cp_status cp_tag_frames_add(struct cp_profile *p, const char *root,
                                 const char *leaf, const char *unit,
                                 bool *root_matched, bool *leaf_matched,
                                 struct cp_error *err);

#endif
