/*
 * launch_run.c - options of `cpprof run`; starts the program.
 *
 * Usually this process execs the program, and the library writes the files of
 * --cpu and --heap. With --open and a file it stays as the parent, waits for
 * the profile and opens it.
 */
#include "tool/attach/launch_run.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/out.h"
#include "base/pid_name.h"
#include "launch/library.h"
#include "launch/program.h"
#include "launch/start.h"
#include "tool/attach/launch_args.h"
#include "tool/cli/print.h"
#include "tool/cli/viewer.h"
#include "tool/pprof/pprof.h"

enum { EXIT_FAILED = 1, EXIT_MISUSED = 2 };

#define PROFILE_POLL_NS 50000000

static const char usage_text[] =
    "usage: cpprof run [OPTION]... [--] COMMAND [ARGUMENT]...\n"
    "Starts a program that serves its profiles over HTTP.\n\n"
    "  --enable-profiling[=false]  profile the program (true)\n"
    "  --profile-port=PORT  listen on this port of localhost (a free one)\n"
    "  --listen=ADDRESS     listen on HOST:PORT, *:PORT or unix:/PATH\n"
    "  --app-id=NAME        name of the program in cpprof list\n"
    "  --cpu=TIME           write a CPU profile of the first 10s, 2m ...;\n"
    "                       0: of the whole run\n"
    "  --heap               write a heap profile when the program exits\n"
    "  -o, --output=FILE    profile to write (cpu.pb.gz or heap.pb.gz)\n"
    "  --open               open the profile, or the running program, in a\n"
    "                       browser\n"
    "  --follow             profile child processes too, each at its own "
    "port;\n"
    "                       --cpu and --heap write cpu.PID.pb.gz ...\n"
    "  --set=KEY:VALUE,...  settings of the library (CPPROF)\n"
    "  --library=FILE       path of libcpprof.so\n"
    "  -h, --help           this text\n";

enum {
    OPTION_ENABLE = 256,
    OPTION_PORT,
    OPTION_LISTEN,
    OPTION_APP_ID,
    OPTION_CPU,
    OPTION_HEAP,
    OPTION_OPEN,
    OPTION_FOLLOW,
    OPTION_SET,
    OPTION_LIBRARY,
};

const struct option cp_launch_run_options[] = {
    { "enable-profiling", optional_argument, NULL, OPTION_ENABLE },
    { "profile-port", required_argument, NULL, OPTION_PORT },
    { "listen", required_argument, NULL, OPTION_LISTEN },
    { "app-id", required_argument, NULL, OPTION_APP_ID },
    { "cpu", required_argument, NULL, OPTION_CPU },
    { "heap", no_argument, NULL, OPTION_HEAP },
    { "output", required_argument, NULL, 'o' },
    { "open", no_argument, NULL, OPTION_OPEN },
    { "follow", no_argument, NULL, OPTION_FOLLOW },
    { "set", required_argument, NULL, OPTION_SET },
    { "library", required_argument, NULL, OPTION_LIBRARY },
    { "help", no_argument, NULL, 'h' },
    { NULL, 0, NULL, 0 },
};

struct run {
    bool is_disabled, has_cpu, has_heap, is_opened, follows, wants_help;
    double seconds; /* seconds of --cpu */
    const char *listen, *app_id, *output, *library, *settings;
    char port[CP_LAUNCH_PORT_BYTES];
    char file[4096]; /* absolute path of the profile; "" if none */
    char *const *command;
};

static enum cp_status parse_enable(struct run *r, const char *text,
                                   struct cp_error *err)
{
    if (text && strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
        return cp_error_set(err, CP_EUSAGE,
                            "--enable-profiling=%s: use true or false", text);
    r->is_disabled = text && *text == 'f';
    return CP_OK;
}

static enum cp_status parse_option(struct run *r, int option,
                                   struct cp_error *err)
{
    switch (option) {
    case OPTION_ENABLE:
        return parse_enable(r, optarg, err);
    case OPTION_PORT:
        r->listen = r->port;
        return cp_launch_port(optarg, r->port, err);
    case OPTION_LISTEN:
        r->listen = optarg;
        break;
    case OPTION_APP_ID:
        r->app_id = optarg;
        break;
    case OPTION_CPU:
        r->has_cpu = true;
        return cp_launch_seconds("--cpu", optarg, &r->seconds, err);
    case OPTION_HEAP:
        r->has_heap = true;
        break;
    case 'o':
        r->output = optarg;
        break;
    case OPTION_OPEN:
        r->is_opened = true;
        break;
    case OPTION_FOLLOW:
        r->follows = true;
        break;
    case OPTION_SET:
        r->settings = optarg;
        break;
    case OPTION_LIBRARY:
        r->library = optarg;
        break;
    case 'h':
        r->wants_help = true;
        break;
    default:
        return cp_error_set(err, CP_EUSAGE,
                            "see cpprof run --help for the options");
    }
    return CP_OK;
}

static enum cp_status check_options(const struct run *r, struct cp_error *err)
{
    if (!*r->command)
        return cp_error_set(err, CP_EUSAGE,
                            "no command given; use cpprof run -- COMMAND");
    if (r->output && r->has_cpu == r->has_heap)
        return cp_error_set(err, CP_EUSAGE,
                            "-o names one file; give either --cpu or --heap");
    if (r->app_id && strchr(r->app_id, ','))
        return cp_error_set(err, CP_EUSAGE,
                            "--app-id %s: contains a comma; choose another",
                            r->app_id);
    return CP_OK;
}

static enum cp_status read_options(struct run *r, int argc, char **argv,
                                   struct cp_error *err)
{
    const char *listen = getenv("PPROFLISTEN");
    enum cp_status status = CP_OK;
    int option;

    r->listen = listen && *listen ? listen : "localhost:0";
    while (status == CP_OK &&
           (option = getopt_long(argc, argv, "+o:h", cp_launch_run_options,
                                 NULL)) != -1)
        status = parse_option(r, option, err);
    r->command = argv + optind;
    return status == CP_OK && !r->wants_help ? check_options(r, err) : status;
}

/* Returns the length of the name without the profile suffix (.pb.gz). */
static int stem_length(const char *name)
{
    static const char end[] = ".pb.gz";
    size_t len = strlen(name), end_len = sizeof(end) - 1;
    bool has_end = len > end_len && strcmp(name + len - end_len, end) == 0;

    return (int)(has_end ? len - end_len : len);
}

/*
 * Appends key:FILE with an absolute path, because the program may change its
 * working directory. With --follow the name contains the process number.
 */
static enum cp_status add_file(struct run *r, struct cp_out *out,
                               const char *key, const char *name,
                               struct cp_error *err)
{
    bool is_numbered = r->follows && !strstr(name, CP_PID_NAME);
    int stem = stem_length(name);
    char folder[2048] = "";

    if (*name != '/' && !getcwd(folder, sizeof(folder)))
        return cp_error_set(err, CP_EIO,
                            "cannot find the current directory: %s; "
                            "give -o an absolute path",
                            strerror(errno));
    (void)snprintf(r->file, sizeof(r->file), "%s%s%.*s%s%s", folder,
                   *folder && folder[1] ? "/" : "", stem, name,
                   is_numbered ? "." CP_PID_NAME : "", name + stem);
    if (strchr(r->file, ',') || strlen(r->file) >= 390)
        return cp_error_set(err, CP_EUSAGE,
                            "cannot write %s: the path has a comma or is "
                            "too long; choose another with -o",
                            r->file);
    cp_out_printf(out, ",%s:%s", key, r->file);
    return cp_launch_check_file(r->file, err);
}

/* Writes the settings for the library, each with a leading comma. */
static enum cp_status write_settings(struct run *r, struct cp_out *out,
                                     struct cp_error *err)
{
    enum cp_status status = CP_OK;

    if (r->app_id)
        cp_out_printf(out, ",app_id:%s", r->app_id);
    if (r->settings)
        cp_out_printf(out, ",%s", r->settings);
    if (r->has_heap)
        status =
            add_file(r, out, "heap_file",
                     r->output && !r->has_cpu ? r->output : "heap.pb.gz", err);
    if (r->has_cpu && status == CP_OK) {
        status = add_file(r, out, "cpu_file",
                          r->output ? r->output : "cpu.pb.gz", err);
        cp_out_printf(out, ",cpu_seconds:%.3f", r->seconds);
    }
    cp_out_char(out, '\0');
    return status == CP_OK ? cp_out_finish(out, err) : status;
}

static enum cp_status prepare(struct run *r, char *address,
                              struct cp_error *err)
{
    struct cp_out settings = { .fd = -1 };
    struct cp_start start = { .listen = r->listen, .follows = r->follows };
    char library[CP_LIBRARY_PATH];
    enum cp_status status = cp_library_find(library, r->library, err);

    if (status == CP_OK)
        status = write_settings(r, &settings, err);
    if (status == CP_OK) {
        start.library = library;
        start.settings = settings.buf + (settings.buf[0] == ',');
        status = cp_start_prepare(&start, address, err);
    }
    cp_out_release(&settings);
    return status;
}

/* ---- waiting as the parent ---- */

static volatile sig_atomic_t child_pid;

static void forward_signal(int sig)
{
    if (child_pid > 0)
        (void)kill((pid_t)child_pid, sig);
}

/*
 * Ignores the signals that the terminal sends to the program too, so that the
 * parent outlives the program.
 */
static void leave_signals_to_child(void)
{
    static const int forwarded[] = { SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };

    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGQUIT, SIG_IGN);
    for (size_t i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++)
        (void)signal(forwarded[i], forward_signal);
}

/*
 * Waits until the profile exists or the program exits. Returns -1 if it still
 * runs.
 */
static int wait_for_profile(const char *file)
{
    const struct timespec poll_interval = { 0, PROFILE_POLL_NS };
    struct stat st;
    int wait_status;

    while (stat(file, &st) != 0) {
        if (waitpid((pid_t)child_pid, &wait_status, WNOHANG) > 0)
            return wait_status;
        (void)nanosleep(&poll_interval, NULL);
    }
    return -1;
}

static int exit_like(int wait_status)
{
    struct rlimit none = { 0, 0 };

    if (!WIFSIGNALED(wait_status))
        return WEXITSTATUS(wait_status);
    (void)setrlimit(RLIMIT_CORE, &none); /* avoid a second core dump */
    (void)signal(WTERMSIG(wait_status), SIG_DFL);
    (void)raise(WTERMSIG(wait_status));
    return 128 + WTERMSIG(wait_status);
}

static int run_and_open(const struct run *r, const char *path)
{
    char file[sizeof(r->file)] = "";
    const char *page[] = { "pprof", "-http=localhost:0", file, NULL };
    struct stat st;
    int wait_status;

    (void)unlink(r->file); /* so that only a new file counts */
    child_pid = fork();
    if (child_pid == 0) {
        cp_start_execute(path, r->command);
        cp_print_line("cpprof run: cannot start the program: ",
                      strerror(errno));
        _exit(CP_PROGRAM_NOT_RUN);
    }
    leave_signals_to_child();
    (void)cp_pid_name_expand(r->file, (long)child_pid, file, sizeof(file));
    wait_status = wait_for_profile(file);
    if (stat(file, &st) == 0) {
        (void)signal(SIGINT, SIG_DFL);
        (void)cp_pprof_main(3, page);
    }
    if (wait_status == -1)
        while (waitpid((pid_t)child_pid, &wait_status, 0) < 0 && errno == EINTR)
            ;
    return exit_like(wait_status);
}

static int run(struct run *r, struct cp_error *err)
{
    struct cp_program program;
    char address[CP_START_ADDRESS] = "";
    struct cp_viewer viewer;

    if (cp_program_find(&program, r->command[0], err) != CP_OK)
        return program.exit_status;
    if (!r->is_disabled && cp_program_check(program.path, err) != CP_OK)
        return CP_PROGRAM_NOT_RUN;
    if (!r->is_disabled && prepare(r, address, err) != CP_OK)
        return err->status == CP_EUSAGE ? EXIT_MISUSED : EXIT_FAILED;
    if (r->is_opened && r->file[0])
        return run_and_open(r, program.path);
    if (r->is_opened && *address &&
        (cp_viewer_find(&viewer, CP_VIEWER_BROWSER, err) != CP_OK ||
         cp_viewer_show(&viewer, address, false, err) != CP_OK))
        return EXIT_FAILED;
    cp_start_execute(program.path, r->command);
    (void)cp_error_set(err, CP_EIO, "%s: %s", program.path, strerror(errno));
    return CP_PROGRAM_NOT_RUN;
}

int cp_launch_run_main(int argc, char **argv)
{
    struct run r = { 0 };
    struct cp_error err = { 0 };
    enum cp_status status = read_options(&r, argc, argv, &err);
    int result = EXIT_MISUSED;

    if (status == CP_OK && r.wants_help) {
        (void)fputs(usage_text, stdout);
        return 0;
    }
    if (status == CP_OK)
        result = run(&r, &err);
    if (err.msg[0])
        cp_print_line("cpprof run: ", err.msg);
    return result;
}
