/* commands.c - the table; see commands.h. */
#include "tool/commands.h"

#include <stdint.h>

#include "tool/addr2line.h"
#include "tool/completion.h"
#include "tool/jeprof.h"
#include "tool/pprof.h"
#include "tool/trace.h"

/* getopt_long puts the words into another order. */
static int run_addr2line(int argc, const char *const *argv)
{
    return cp_addr2line_main(argc, (char **)(uintptr_t)argv);
}

static const struct cp_tool_command commands[] = {
    { "pprof", "[FORMAT] [OPTION]... [BINARY] SOURCE...",
      "reports on profiles; pprof -help lists the options", cp_pprof_main },
    { "jeprof", "[OPTION]... [BINARY] PROFILE...",
      "the same with the options of jemalloc's jeprof", cp_jeprof_main },
    { "addr2line", "[OPTION]... [ADDRESS]...",
      "functions, files and lines of addresses, as binutils' has it",
      run_addr2line },
    { "trace", "[OPTION]... FILE|ADDRESS",
      "execution traces: a table of threads, a page, profiles of waiting",
      cp_trace_main },
    { "completion", "bash|zsh|fish", "a script that completes the options",
      cp_completion_main },
};

const struct cp_tool_command *cp_command_at(size_t i)
{
    return i < sizeof(commands) / sizeof(commands[0]) ? &commands[i] : NULL;
}
