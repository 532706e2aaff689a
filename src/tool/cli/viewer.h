/*
 * viewer - starts programs that show a report: a browser, evince, gv,
 * kcachegrind.
 *
 * The caller finds the viewer before it writes the report, so that a missing
 * viewer leaves no file behind. Viewers are started without a shell.
 */
#ifndef CP_VIEWER_H
#define CP_VIEWER_H

#include <stdbool.h>

#include "base/error.h"

/* Stands for any available browser. */
#define CP_VIEWER_BROWSER "browser"

#define CP_VIEWER_BYTES 1024
#define CP_VIEWER_WORDS 32

/* A viewer's command line. Initialize with cp_viewer_find. */
struct cp_viewer {
    char text[CP_VIEWER_BYTES]; /* arguments, each ended by NUL */
    char *words[CP_VIEWER_WORDS];
    int n_words;
};

/*
 * Finds the program `name` on PATH. For CP_VIEWER_BROWSER it tries the
 * colon-separated list in $BROWSER, the browsers that google/pprof knows, and
 * the desktop's default. Returns CP_EIO, with a message that says what to
 * install or set, if it finds none.
 */
enum cp_status cp_viewer_find(struct cp_viewer *v, const char *name,
                              struct cp_error *err);

/*
 * Shows a file or an address. With is_waited it waits until the viewer exits
 * and returns CP_EIO if the viewer failed; otherwise it does not wait.
 */
enum cp_status cp_viewer_show(struct cp_viewer *v, const char *what,
                              bool is_waited, struct cp_error *err);

#endif
