/* live_top - `cpprof top`: what a running program does, again and again. */
#ifndef CP_LIVE_TOP_H
#define CP_LIVE_TOP_H

int cp_live_top_main(int argc, char **argv);

#endif
