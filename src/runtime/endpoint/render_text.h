/*
 * render_text - the forms that Go prints for debug=1 and debug=2.
 *
 * Lines with samples are read by tools (a count, '@', return addresses); the
 * lines with '#' after them are for people. The memory map at the end lets a
 * saved text be symbolized later.
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

/* Lines as in /proc/self/maps for all that code runs from. */
void cp_render_text_maps(const struct cp_mappings *m, struct cp_out *out);

#endif
