/*
 * viewer - programs that show what was made: browsers, evince, gv ...
 *
 * Found before anything is made, so that nothing is left behind when there is
 * none. They are started without a shell.
 */
#ifndef CP_VIEWER_H
#define CP_VIEWER_H

#include <stdbool.h>

#include "base/error.h"

/* The name that stands for whatever browser there is. */
#define CP_VIEWER_BROWSER "browser"

#define CP_VIEWER_BYTES 1024
#define CP_VIEWER_WORDS 32

/* A command line; starts with cp_viewer_find. */
struct cp_viewer {
    char text[CP_VIEWER_BYTES]; /* its words, each with a NUL */
    char *words[CP_VIEWER_WORDS];
    int n_words;
};

/*
 * Finds the program of that name on PATH. For a browser: what $BROWSER says
 * (several are apart by colons), those that the reference knows, and the
 * desktop's own. CP_EIO with a message that says what to do if there is none.
 */
enum cp_status cp_viewer_find(struct cp_viewer *v, const char *name,
                              struct cp_error *err);

/*
 * Shows a file or an address. Waits for the viewer's end if is_waited, and
 * then fails if it did; otherwise it is left to itself.
 */
enum cp_status cp_viewer_show(struct cp_viewer *v, const char *what,
                              bool is_waited, struct cp_error *err);

#endif
