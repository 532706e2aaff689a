/*
 * completion.c - writes the completion scripts for bash, zsh and fish.
 *
 * All three scripts complete options after a dash and keep the number of dashes
 * typed. They append "=" to an option that needs a value. They complete that
 * value from a fixed set or from file names, and offer nothing for other
 * values.
 */
#include "tool/completion.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "tool/cli/flags.h"
#include "tool/cli/jeprof_flags.h"
#include "tool/cli/print.h"
#include "tool/commands.h"
#include "tool/trace/trace.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_MISUSED = 2 };

/* Fixed sets of values, by option. */
static const struct {
    const char *name, *words;
} choices[] = {
    { "pprof", "net sched sync syscall" },
    { "sample_index", "alloc_objects alloc_space contentions cpu delay "
                      "inuse_objects inuse_space samples" },
    { "sort", "blocks cpu duration duty errors id idle io ivcsw majflt minflt "
              "name read run samples start sys syscalls user vcsw wait write" },
    { "symbolize", "demangle=full demangle=none demangle=templates fastlocal "
                   "force local none remote" },
    { "unit", "B GB MB TB kB minimum ms ns s us" },
};

static const char *words_of(const struct cp_flag *f)
{
    for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
        if (strcmp(choices[i].name, f->name) == 0)
            return choices[i].words;
    return NULL;
}

/* Whether the value is a file or a directory. */
static bool is_file(const struct cp_flag *f)
{
    static const char *const words[] = { "FILE", "DIRS", "SOURCE" };

    for (size_t i = 0; f->argument && i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(f->argument, words[i]) == 0)
            return true;
    return false;
}

/* Whether completion offers the option. */
static bool is_offered(const struct cp_flag *f)
{
    return f->section != CP_HELP_HIDDEN && f->section != CP_HELP_OLD &&
           f->kind != CP_FLAG_IGNORED;
}

/* Commands whose options are in tables of struct cp_flag. */
enum command { PPROF, JEPROF, TRACE };
static const char *const command_names[] = { "pprof", "jeprof", "trace" };

/*
 * Returns the i-th option of a command. jeprof lists pprof's options before its
 * own.
 */
static const struct cp_flag *flag_at(enum command command, size_t i)
{
    size_t n = 0;

    if (command == TRACE)
        return cp_trace_flag_at(i);
    while (cp_flag_at(n))
        n++;
    if (i < n)
        return cp_flag_at(i);
    return command == JEPROF ? cp_jeprof_flag_at(i - n) : NULL;
}

/* Whether jeprof replaces this option of pprof by one with the same name. */
static bool is_replaced(enum command command, const struct cp_flag *f)
{
    return command == JEPROF &&
           cp_jeprof_flag_find(f->name, strlen(f->name)) != f;
}

/* Returns the next option to offer and advances *i; NULL past the end. */
static const struct cp_flag *next_flag(enum command command, size_t *i)
{
    const struct cp_flag *f;

    while ((f = flag_at(command, (*i)++)))
        if (is_offered(f) && !is_replaced(command, f))
            return f;
    return NULL;
}

/*
 * Writes text for use inside single quotes, with a backslash before each
 * character of `special`.
 */
static void quoted(struct cp_out *out, const char *text, const char *special)
{
    for (; *text; text++) {
        if (strchr(special, *text))
            cp_out_char(out, '\\');
        if (*text == '\'')
            cp_out_cstr(out, "'\\''");
        else
            cp_out_char(out, *text);
    }
}

static void write_commands(struct cp_out *out)
{
    for (size_t i = 0; cp_command_at(i); i++)
        cp_out_printf(out, "%s%s", i ? " " : "", cp_command_at(i)->name);
}

static void bash_names(struct cp_out *out, enum command command)
{
    const struct cp_flag *f;

    cp_out_printf(out, "_cpprof_%s_names='", command_names[command]);
    for (size_t i = 0; (f = next_flag(command, &i));)
        cp_out_printf(out, "%s%s\n", f->name,
                      cp_flag_needs_value(f) ? "=" : "");
    cp_out_cstr(out, "'\n");
}

/* Writes one branch of a shell `case` for each option with known values. */
static void bash_values(struct cp_out *out, enum command command)
{
    const struct cp_flag *f;

    for (size_t i = 0; (f = next_flag(command, &i));) {
        if (!cp_flag_needs_value(f))
            continue;
        cp_out_printf(out, "    %s) ", f->name);
        if (words_of(f))
            cp_out_printf(out, "COMPREPLY=($(compgen -W '%s' -- \"$2\")) ;;\n",
                          words_of(f));
        else if (is_file(f))
            cp_out_cstr(out, "COMPREPLY=($(compgen -f -- \"$2\"))\n"
                             "        compopt -o filenames 2>/dev/null ;;\n");
        else
            cp_out_cstr(out, "COMPREPLY=() ;;\n");
    }
}

/*
 * Writes the branch for a command with getopt options (run, attach, list, top):
 * its options, then what its arguments complete to.
 */
static void bash_command(struct cp_out *out, const struct cp_tool_command *c)
{
    cp_out_printf(out,
                  "    %s)\n"
                  "        if [[ $2 == -* ]]; then\n"
                  "            COMPREPLY=($(compgen -W '",
                  c->name);
    for (const struct option *o = c->options; o->name; o++)
        cp_out_printf(out, "%s--%s%s", o == c->options ? "" : " ", o->name,
                      o->has_arg == required_argument ? "=" : "");
    cp_out_cstr(out, "' -- \"$2\"))\n"
                     "            [[ ${COMPREPLY[0]} == *= ]] && compopt -o "
                     "nospace 2>/dev/null\n"
                     "        else\n");
    cp_out_printf(out,
                  "            COMPREPLY=($(compgen -%s -- \"$2\"))\n"
                  "        fi ;;\n",
                  strcmp(c->name, "run") == 0 ? "c" : "f");
}

/* Writes the option names and values of all commands. */
static void bash_tables(struct cp_out *out)
{
    cp_out_cstr(out, "# bash completion; made by `cpprof completion bash`\n");
    bash_names(out, PPROF);
    bash_names(out, JEPROF);
    bash_names(out, TRACE);
    cp_out_cstr(out, "_cpprof_trace_value() {\n    case $1 in\n");
    bash_values(out, TRACE);
    cp_out_cstr(out, "    *) return 1 ;;\n    esac\n}\n"
                     "_cpprof_value() {\n    case $1 in\n");
    bash_values(out, JEPROF);
}

static void write_bash(struct cp_out *out)
{
    bash_tables(out);
    cp_out_cstr(
        out,
        "    *) return 1 ;;\n    esac\n}\n"
        "_cpprof_options() {\n"
        "    local names=$1 values=$2 cur=${COMP_WORDS[COMP_CWORD]}\n"
        "    local prev=${COMP_WORDS[COMP_CWORD-1]} dashes\n"
        "    # \"=\" is a word of its own, unless COMP_WORDBREAKS was changed\n"
        "    if [[ $cur == = ]]; then\n"
        "        cur=\n"
        "    elif [[ $prev == = ]]; then\n"
        "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
        "    fi\n"
        "    if [[ $prev == -* ]]; then\n"
        "        prev=${prev#-}\n"
        "        $values \"${prev#-}\" \"$cur\" && return\n"
        "    fi\n"
        "    if [[ $cur == -* ]]; then\n"
        "        dashes=-\n"
        "        [[ $cur == --* ]] && dashes=--\n"
        "        COMPREPLY=($(compgen -P $dashes -W \"$names\" -- "
        "\"${cur#$dashes}\"))\n"
        "        [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace "
        "2>/dev/null\n"
        "    else\n"
        "        COMPREPLY=($(compgen -f -- \"$cur\"))\n"
        "        compopt -o filenames 2>/dev/null\n"
        "    fi\n}\n"
        "_cpprof_pprof() {\n"
        "    _cpprof_options \"$_cpprof_pprof_names\" _cpprof_value\n}\n"
        "_cpprof_jeprof() {\n"
        "    _cpprof_options \"$_cpprof_jeprof_names\" _cpprof_value\n}\n"
        "_cpprof_trace() {\n"
        "    _cpprof_options \"$_cpprof_trace_names\" "
        "_cpprof_trace_value\n}\n"
        "_cpprof() {\n"
        "    if [[ $COMP_CWORD == 1 && $2 != -* ]]; then\n"
        "        COMPREPLY=($(compgen -W '");
    write_commands(out);
    cp_out_cstr(out, "' -- \"$2\"))\n"
                     "        return\n"
                     "    fi\n"
                     "    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; cp_command_at(i); i++)
        if (cp_command_at(i)->options)
            bash_command(out, cp_command_at(i));
    cp_out_cstr(out,
                "    pprof | -*) _cpprof_pprof ;;\n"
                "    jeprof) _cpprof_jeprof ;;\n"
                "    trace) _cpprof_trace ;;\n"
                "    completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- "
                "\"$2\")) ;;\n"
                "    *) COMPREPLY=($(compgen -f -- \"$2\")) ;;\n"
                "    esac\n}\n"
                "complete -F _cpprof_pprof pprof\n"
                "complete -F _cpprof_jeprof jeprof\n"
                "complete -F _cpprof cpprof\n");
}

/* Writes '(-top --top)'{-top,--top}'[table of the heaviest functions]'. */
static void zsh_flag(struct cp_out *out, const struct cp_flag *f)
{
    bool has_value = cp_flag_needs_value(f);
    const char *equals = has_value ? "=" : "";

    cp_out_printf(out, "    {-%s%s,--%s%s}'[", f->name, equals, f->name,
                  equals);
    quoted(out, f->help ? f->help : "", "[]:\\");
    cp_out_char(out, ']');
    if (has_value) {
        cp_out_printf(out, ":%s:", f->argument ? f->argument : " ");
        if (words_of(f)) {
            cp_out_char(out, '(');
            quoted(out, words_of(f), ":");
            cp_out_char(out, ')');
        } else if (is_file(f)) {
            cp_out_cstr(out, "_files");
        }
    }
    cp_out_cstr(out, "'\n");
}

static void zsh_flags(struct cp_out *out, enum command command)
{
    const struct cp_flag *f;

    cp_out_printf(out, "_cpprof_%s() {\n  local -a options\n  options=(\n",
                  command_names[command]);
    for (size_t i = 0; (f = next_flag(command, &i));)
        zsh_flag(out, f);
    cp_out_cstr(out, "  )\n  _arguments $options '*:profile:_files'\n}\n");
}

static void zsh_command(struct cp_out *out, const struct cp_tool_command *c)
{
    bool is_run = strcmp(c->name, "run") == 0;

    cp_out_printf(out, "_cpprof_%s() {\n  _arguments%s", c->name,
                  is_run ? " -A '-*'" : "");
    for (const struct option *o = c->options; o->name; o++)
        cp_out_printf(out, " '--%s%s'", o->name,
                      o->has_arg == required_argument ? "=: :_files" : "");
    cp_out_printf(out, " %s\n}\n",
                  is_run ? "'(-)1:command:_command_names -e' '*::: :_normal'"
                         : "'*: :_files'");
}

static void zsh_branches(struct cp_out *out)
{
    for (size_t i = 0; cp_command_at(i); i++)
        if (cp_command_at(i)->options)
            cp_out_printf(out, "    %s) _cpprof_%s ;;\n",
                          cp_command_at(i)->name, cp_command_at(i)->name);
}

static void write_zsh(struct cp_out *out)
{
    cp_out_cstr(out, "#compdef cpprof pprof jeprof\n"
                     "# made by `cpprof completion zsh`\n");
    zsh_flags(out, PPROF);
    zsh_flags(out, JEPROF);
    zsh_flags(out, TRACE);
    for (size_t i = 0; cp_command_at(i); i++)
        if (cp_command_at(i)->options)
            zsh_command(out, cp_command_at(i));
    cp_out_cstr(out, "_cpprof_commands() {\n  local -a commands\n"
                     "  commands=(\n");
    for (size_t i = 0; cp_command_at(i); i++) {
        cp_out_printf(out, "    '%s:", cp_command_at(i)->name);
        quoted(out, cp_command_at(i)->summary, ":\\");
        cp_out_cstr(out, "'\n");
    }
    cp_out_cstr(out, "  )\n  _describe command commands\n}\n"
                     "case $service in\n"
                     "pprof) _cpprof_pprof ;;\n"
                     "jeprof) _cpprof_jeprof ;;\n"
                     "*)\n"
                     "  if (( CURRENT == 2 )); then\n"
                     "    _cpprof_commands\n"
                     "  else\n"
                     "    shift words\n"
                     "    (( CURRENT-- ))\n"
                     "    case $words[1] in\n");
    zsh_branches(out);
    cp_out_cstr(out, "    pprof) _cpprof_pprof ;;\n"
                     "    jeprof) _cpprof_jeprof ;;\n"
                     "    trace) _cpprof_trace ;;\n"
                     "    completion) compadd bash zsh fish ;;\n"
                     "    *) _files ;;\n"
                     "    esac\n"
                     "  fi\n"
                     "  ;;\n"
                     "esac\n");
}

/*
 * Writes complete -c pprof -o focus -l focus -x -d 'only stacks with a match'.
 */
static void fish_flag(struct cp_out *out, const struct cp_flag *f,
                      const char *command, const char *when)
{
    cp_out_printf(out, "complete -c %s%s -o %s -l %s", command, when, f->name,
                  f->name);
    if (cp_flag_needs_value(f))
        cp_out_cstr(out, is_file(f) ? " -r" : " -x");
    if (words_of(f))
        cp_out_printf(out, " -a '%s'", words_of(f));
    cp_out_cstr(out, " -d '");
    quoted(out, f->help ? f->help : "", "\\");
    cp_out_cstr(out, "'\n");
}

static void fish_flags(struct cp_out *out, enum command command)
{
    const char *name = command_names[command];
    const struct cp_flag *f;
    char when[80];

    (void)snprintf(when, sizeof(when), " -n '__fish_seen_subcommand_from %s'",
                   name);
    for (size_t i = 0; (f = next_flag(command, &i));) {
        if (command != TRACE) /* trace is only a subcommand */
            fish_flag(out, f, name, "");
        fish_flag(out, f, "cpprof", when);
    }
}

static void fish_command(struct cp_out *out, const struct cp_tool_command *c)
{
    for (const struct option *o = c->options; o->name; o++)
        cp_out_printf(out,
                      "complete -c cpprof -n '__fish_seen_subcommand_from %s' "
                      "-l %s%s\n",
                      c->name, o->name,
                      o->has_arg == required_argument ? " -r" : "");
}

static void write_fish(struct cp_out *out)
{
    cp_out_cstr(out, "# made by `cpprof completion fish`\n");
    for (size_t i = 0; cp_command_at(i); i++) {
        cp_out_printf(out,
                      "complete -c cpprof -f -n __fish_use_subcommand -a %s "
                      "-d '",
                      cp_command_at(i)->name);
        quoted(out, cp_command_at(i)->summary, "\\");
        cp_out_cstr(out, "'\n");
    }
    for (size_t i = 0; cp_command_at(i); i++)
        if (cp_command_at(i)->options)
            fish_command(out, cp_command_at(i));
    cp_out_cstr(out, "complete -c cpprof -f -n '__fish_seen_subcommand_from "
                     "completion' -a 'bash zsh fish'\n");
    fish_flags(out, PPROF);
    fish_flags(out, JEPROF);
    fish_flags(out, TRACE);
}

static const struct {
    const char *name;
    void (*write)(struct cp_out *out);
} shells[] = {
    { "bash", write_bash },
    { "zsh", write_zsh },
    { "fish", write_fish },
};

int cp_completion_main(int argc, const char *const *argv)
{
    struct cp_out out = { .fd = STDOUT_FILENO };
    struct cp_error err = { 0 };
    enum cp_status status;

    for (size_t i = 0; argc == 2 && i < sizeof(shells) / sizeof(shells[0]); i++)
        if (strcmp(argv[1], shells[i].name) == 0) {
            shells[i].write(&out);
            status = cp_out_finish(&out, &err);
            cp_out_release(&out);
            if (status != CP_OK)
                cp_print_line("cpprof: ", err.msg);
            return status == CP_OK ? EXIT_OK : EXIT_FAILED;
        }
    (void)fputs("usage: cpprof completion bash|zsh|fish\n", stderr);
    return EXIT_MISUSED;
}
