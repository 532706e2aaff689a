/*
 * live_top - `cpprof top`: shows where a running program spends its time,
 * refreshed every second.
 */
#ifndef CP_LIVE_TOP_H
#define CP_LIVE_TOP_H

#include <getopt.h>

int cp_live_top_main(int argc, char **argv);

/* Long options for getopt_long, also used for shell completion. */
extern const struct option cp_live_top_options[];

#endif
