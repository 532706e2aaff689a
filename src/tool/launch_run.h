/* launch_run - `cpprof run`: starts a program with the library in it. */
#ifndef CP_LAUNCH_RUN_H
#define CP_LAUNCH_RUN_H

/* Returns only if the program was not started, or was watched to its end. */
int cp_launch_run_main(int argc, char **argv);

#endif
