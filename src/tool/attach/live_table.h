/* live_table - one table of `cpprof top`: fetches a profile and prints it. */
#ifndef CP_LIVE_TABLE_H
#define CP_LIVE_TABLE_H

#include <stdbool.h>

/* A profile that `cpprof top` can show. */
struct cp_live_view {
    const char *name, *title;
    char key;
    const char *kind;  /* last component of the URL path */
    bool is_interval;  /* covers an interval; otherwise a current state */
    const char *value; /* pprof option that selects the value */
    const char *hint;  /* reason for an empty table, shown to the user */
};

/* Return NULL if no view matches. */
const struct cp_live_view *cp_live_view_named(const char *name);
const struct cp_live_view *cp_live_view_keyed(int key);

/* Returns the key legend for the user: "c CPU  w wall ...". */
const char *cp_live_view_keys(void);

struct cp_live_table {
    char address[1024]; /* ".../debug/pprof/", or unix:/path */
    bool is_url;        /* URL typed by the user; may be remote */
    const struct cp_live_view *view;
    double seconds;
    int rows;
};

/* Whether the report has no rows. */
bool cp_live_table_is_empty(const char *report);

/*
 * Takes as long as the table's interval. Returns 0, or 1 after printing a
 * message on stderr.
 */
int cp_live_table_print(const struct cp_live_table *t);

#endif
