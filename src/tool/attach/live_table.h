/* live_table - one table of `cpprof top`: fetches a profile and prints it. */
#ifndef CP_LIVE_TABLE_H
#define CP_LIVE_TABLE_H

#include <stdbool.h>

/* What can be looked at. */
struct cp_live_view {
    const char *name, *title;
    char key;
    const char *kind;  /* the last part of the address */
    bool is_of_time;   /* what happened in that time, not what is there */
    const char *value; /* an option of pprof that chooses the value */
    const char *hint;  /* why there may be nothing */
};

/* NULL: there is none. */
const struct cp_live_view *cp_live_view_named(const char *name);
const struct cp_live_view *cp_live_view_keyed(int key);

/* "c CPU  w wall ...", for the user. */
const char *cp_live_view_keys(void);

struct cp_live_table {
    char address[1024]; /* ".../debug/pprof/", or unix:/path */
    bool is_url;        /* as the user has typed it; it may be anywhere */
    const struct cp_live_view *view;
    double seconds;
    int rows;
};

/* Has the report no row? */
bool cp_live_table_is_empty(const char *report);

/* Takes as long as the table is of; 0, or 1 with a message on stderr. */
int cp_live_table_print(const struct cp_live_table *t);

#endif
