/*
 * render_text - writes profiles in Go's text formats of debug=1 and debug=2.
 *
 * Tools parse the sample lines (a count, '@', return addresses) and skip the
 * lines with '#', which are for people. The memory map at the end allows
 * symbolizing a saved profile later.
 */
#ifndef CP_RENDER_TEXT_H
#define CP_RENDER_TEXT_H

#include "base/error.h"

struct cp_mappings;
struct cp_out;
struct cp_profile;
struct cp_renderer;

enum cp_status cp_render_text_write(const struct cp_renderer *r,
                                    const struct cp_profile *p,
                                    const struct cp_mappings *m,
                                    struct cp_out *out, struct cp_error *err);

/* One line per executable mapping, in the format of /proc/self/maps. */
void cp_render_text_maps(const struct cp_mappings *m, struct cp_out *out);

#endif
