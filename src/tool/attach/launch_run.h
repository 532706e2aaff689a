/* launch_run - `cpprof run`: starts a program with the library preloaded. */
#ifndef CP_LAUNCH_RUN_H
#define CP_LAUNCH_RUN_H

#include <getopt.h>

/*
 * Returns the exit status if the program could not be started, or if this
 * process waited for its end (--open). Otherwise it execs the program.
 */
int cp_launch_run_main(int argc, char **argv);

/* Long options for getopt_long, also used for shell completion. */
extern const struct option cp_launch_run_options[];

#endif
