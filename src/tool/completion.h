/*
 * completion - scripts for bash, zsh and fish that complete our options.
 *
 * Made from the tables of options and commands, so that they cannot fall
 * behind; the build runs `cpprof completion` and installs what it prints.
 */
#ifndef CP_COMPLETION_H
#define CP_COMPLETION_H

/* cpprof completion bash|zsh|fish; returns the exit status. */
int cp_completion_main(int argc, const char *const *argv);

#endif
