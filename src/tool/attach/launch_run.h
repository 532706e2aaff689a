/* launch_run - `cpprof run`: starts a program with the library in it. */
#ifndef CP_LAUNCH_RUN_H
#define CP_LAUNCH_RUN_H

#include <getopt.h>

/* Returns only if the program was not started, or was watched to its end. */
int cp_launch_run_main(int argc, char **argv);

/* What it takes, ended as getopt wants it. */
extern const struct option cp_launch_run_options[];

#endif
