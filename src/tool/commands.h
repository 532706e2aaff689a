/*
 * commands - the subcommands of `cpprof`. Each is also run when the executable
 * is called by that name (pprof, jeprof, addr2line).
 */
#ifndef CP_COMMANDS_H
#define CP_COMMANDS_H

#include <getopt.h>
#include <stddef.h>

struct option;

struct cp_tool_command {
    const char *name;
    const char *usage;   /* arguments after the name */
    const char *summary; /* one line for the usage text */
    /* Returns the exit status: 0, 1 on failure, 2 on a usage error. */
    int (*run)(int argc, const char *const *argv);
    /*
     * Long options for shell completion; NULL if the command uses pprof's table
     * of flags or has no options.
     */
    const struct option *options;
};

/* Returns the i-th command; NULL past the end. */
const struct cp_tool_command *cp_command_at(size_t i);

#endif
