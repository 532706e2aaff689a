/*
 * commands.c - the table of subcommands (commands.h), and adapters from their
 * argument types to those of getopt_long.
 */
#include "tool/commands.h"

#include <stdint.h>

#include "tool/addr2line/addr2line.h"
#include "tool/attach/launch_attach.h"
#include "tool/attach/launch_list.h"
#include "tool/attach/launch_run.h"
#include "tool/attach/live_top.h"
#include "tool/completion.h"
#include "tool/jeprof/jeprof.h"
#include "tool/pprof/pprof.h"
#include "tool/trace/trace.h"

/*
 * Copies argv, because getopt_long permutes it, and sets argv[0] to the name
 * that getopt_long prints in its messages.
 */
static char **named(const char *name, const char *const *argv)
{
    char **words = (char **)(uintptr_t)argv;

    words[0] = (char *)(uintptr_t)name;
    return words;
}

static int run_addr2line(int argc, const char *const *argv)
{
    return cp_addr2line_main(argc, (char **)(uintptr_t)argv);
}

static int run_list(int argc, const char *const *argv)
{
    return cp_launch_list_main(argc, named("cpprof list", argv));
}

static int run_run(int argc, const char *const *argv)
{
    return cp_launch_run_main(argc, named("cpprof run", argv));
}

static int run_attach(int argc, const char *const *argv)
{
    return cp_launch_attach_main(argc, named("cpprof attach", argv));
}

static int run_top(int argc, const char *const *argv)
{
    return cp_live_top_main(argc, named("cpprof top", argv));
}

static const struct cp_tool_command commands[] = {
    { "run", "[OPTION]... [--] COMMAND [ARGUMENT]...",
      "starts a program that serves its profiles", run_run,
      cp_launch_run_options },
    { "list", "[--json]", "lists the programs that serve profiles now",
      run_list, cp_launch_list_options },
    { "attach", "[OPTION]... PID", "makes a running program serve its profiles",
      run_attach, cp_launch_attach_options },
    { "top", "[OPTION]... [PID|APP|URL]",
      "shows where a running program spends its time", run_top,
      cp_live_top_options },
    { "pprof", "[FORMAT] [OPTION]... [BINARY] SOURCE...",
      "reports on profiles; pprof -help lists the options", cp_pprof_main,
      NULL },
    { "jeprof", "[OPTION]... [BINARY] PROFILE...",
      "reports on profiles, with the options of jemalloc's jeprof",
      cp_jeprof_main, NULL },
    { "addr2line", "[OPTION]... [ADDRESS]...",
      "turns addresses into functions, files and lines, like binutils",
      run_addr2line, NULL },
    { "trace", "[OPTION]... FILE|ADDRESS",
      "shows execution traces: a table of threads, a page, wait profiles",
      cp_trace_main, NULL },
    { "completion", "bash|zsh|fish", "prints a completion script for a shell",
      cp_completion_main, NULL },
};

const struct cp_tool_command *cp_command_at(size_t i)
{
    return i < sizeof(commands) / sizeof(commands[0]) ? &commands[i] : NULL;
}
