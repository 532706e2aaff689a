/* launch_list - `cpprof list`: lists the programs that serve profiles now. */
#ifndef CP_LAUNCH_LIST_H
#define CP_LAUNCH_LIST_H

#include <getopt.h>

int cp_launch_list_main(int argc, char **argv);

/* Long options for getopt_long, also used for shell completion. */
extern const struct option cp_launch_list_options[];

#endif
