/* launch_list - `cpprof list`: the programs that serve profiles now. */
#ifndef CP_LAUNCH_LIST_H
#define CP_LAUNCH_LIST_H

#include <getopt.h>

int cp_launch_list_main(int argc, char **argv);

/* What it takes, ended as getopt wants it. */
extern const struct option cp_launch_list_options[];

#endif
