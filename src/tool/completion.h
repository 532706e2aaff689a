/*
 * completion - completion scripts for bash, zsh and fish.
 *
 * The scripts are generated from the tables of options and commands, so they
 * are always up to date. The build runs `cpprof completion` and installs its
 * output.
 */
#ifndef CP_COMPLETION_H
#define CP_COMPLETION_H

/* Runs cpprof completion bash|zsh|fish; returns the exit status. */
int cp_completion_main(int argc, const char *const *argv);

#endif
