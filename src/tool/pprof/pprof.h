/* pprof - the command pprof: loads profiles and writes a report. */
#ifndef CP_PPROF_H
#define CP_PPROF_H

/* Runs pprof. Returns the exit status: 0, 1 on failure, 2 on a usage error. */
int cp_pprof_main(int argc, const char *const *argv);

#endif
