/* launch_list - `cpprof list`: the programs that serve profiles now. */
#ifndef CP_LAUNCH_LIST_H
#define CP_LAUNCH_LIST_H

int cp_launch_list_main(int argc, char **argv);

#endif
