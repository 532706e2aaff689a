/* pprof - the command pprof: from arguments to a report. */
#ifndef CP_PPROF_H
#define CP_PPROF_H

/* Runs pprof; returns the exit status: 0, 1 on failure, 2 on misuse. */
int cp_pprof_main(int argc, const char *const *argv);

#endif
