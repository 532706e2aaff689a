/* commands.c - the table; see commands.h. */
#include "tool/commands.h"

#include "tool/completion.h"
#include "tool/jeprof.h"
#include "tool/pprof.h"

static const struct cp_tool_command commands[] = {
    { "pprof", "[FORMAT] [OPTION]... [BINARY] SOURCE...",
      "reports on profiles; pprof -help lists the options", cp_pprof_main },
    { "jeprof", "[OPTION]... [BINARY] PROFILE...",
      "the same with the options of jemalloc's jeprof", cp_jeprof_main },
    { "completion", "bash|zsh|fish", "a script that completes the options",
      cp_completion_main },
};

const struct cp_tool_command *cp_command_at(size_t i)
{
    return i < sizeof(commands) / sizeof(commands[0]) ? &commands[i] : NULL;
}
