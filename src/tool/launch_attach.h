/* launch_attach - `cpprof attach`: the library into a running program. */
#ifndef CP_LAUNCH_ATTACH_H
#define CP_LAUNCH_ATTACH_H

int cp_launch_attach_main(int argc, char **argv);

#endif
