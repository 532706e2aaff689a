/* commands - what `cpprof` can be asked to do; each also a program's name. */
#ifndef CP_COMMANDS_H
#define CP_COMMANDS_H

#include <getopt.h>
#include <stddef.h>

struct option;

struct cp_tool_command {
    const char *name;
    const char *usage;   /* what follows the name */
    const char *summary; /* one line */
    /* Returns the exit status: 0, 1 on failure, 2 on misuse. */
    int (*run)(int argc, const char *const *argv);
    /* Its options, where they are not those of pprof; NULL: not known. */
    const struct option *options;
};

/* The i-th command; NULL behind the last. */
const struct cp_tool_command *cp_command_at(size_t i);

#endif
