/* launch_attach - `cpprof attach`: loads the library into a running program. */
#ifndef CP_LAUNCH_ATTACH_H
#define CP_LAUNCH_ATTACH_H

#include <getopt.h>

int cp_launch_attach_main(int argc, char **argv);

/* Long options for getopt_long, also used for shell completion. */
extern const struct option cp_launch_attach_options[];

#endif
