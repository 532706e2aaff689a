/* live_top - `cpprof top`: what a running program does, again and again. */
#ifndef CP_LIVE_TOP_H
#define CP_LIVE_TOP_H

#include <getopt.h>

int cp_live_top_main(int argc, char **argv);

/* What it takes, ended as getopt wants it. */
extern const struct option cp_live_top_options[];

#endif
