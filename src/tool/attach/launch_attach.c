/*
 * launch_attach.c - options of `cpprof attach`, and its steps: attach, fetch a
 * profile, detach.
 */
#include "tool/attach/launch_attach.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/instance.h"
#include "base/new_file.h"
#include "base/target_file.h"
#include "http/client.h"
#include "http/token.h"
#include "launch/attach.h"
#include "launch/instances.h"
#include "launch/library.h"
#include "launch/attach_address.h"
#include "launch/attach_address.h"
#include "tool/attach/launch_args.h"
#include "tool/attach/launch_args.h"
#include "tool/cli/print.h"
#include "tool/cli/viewer.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_MISUSED = 2 };

#define GRACE_MS 60000 /* milliseconds added to the profile's duration */
#define MAX_PROFILE_BYTES ((uint64_t)1 << 30)

static const char usage_text[] =
    "usage: cpprof attach [OPTION]... PID\n"
    "Loads the library into a running program, which then serves CPU, wall "
    "and\n"
    "thread profiles. For heap and lock profiles, start the program with\n"
    "cpprof run, or preload the library (LD_PRELOAD=libcpprof.so), which is\n"
    "dormant until you attach.\n\n"
    "  --detach             stop serving profiles; the program runs on\n"
    "  --cpu=TIME           attach, write a CPU profile of 10s, 2m ..., "
    "detach\n"
    "  --wall=TIME          the same with a wall-clock profile of all threads\n"
    "  -o, --output=FILE    profile to write (cpu.pb.gz or wall.pb.gz)\n"
    "  --profile-port=PORT  listen on this port of localhost (a free one)\n"
    "  --listen=ADDRESS     listen on HOST:PORT, *:PORT or unix:/PATH\n"
    "  --open               open the profiles in a browser\n"
    "  --set=KEY:VALUE,...  settings of the library (CPPROF)\n"
    "  --library=FILE       path of libcpprof.so\n"
    "  -h, --help           this text\n";

enum {
    OPTION_DETACH = 256,
    OPTION_CPU,
    OPTION_WALL,
    OPTION_PORT,
    OPTION_LISTEN,
    OPTION_OPEN,
    OPTION_SET,
    OPTION_LIBRARY,
};

const struct option cp_launch_attach_options[] = {
    { "detach", no_argument, NULL, OPTION_DETACH },
    { "cpu", required_argument, NULL, OPTION_CPU },
    { "wall", required_argument, NULL, OPTION_WALL },
    { "output", required_argument, NULL, 'o' },
    { "profile-port", required_argument, NULL, OPTION_PORT },
    { "listen", required_argument, NULL, OPTION_LISTEN },
    { "open", no_argument, NULL, OPTION_OPEN },
    { "set", required_argument, NULL, OPTION_SET },
    { "library", required_argument, NULL, OPTION_LIBRARY },
    { "help", no_argument, NULL, 'h' },
    { NULL, 0, NULL, 0 },
};

struct attach {
    bool is_detach, is_opened, wants_help;
    const char *kind; /* profile to write, or NULL */
    double seconds;
    const char *output, *listen, *settings, *library;
    char port[CP_LAUNCH_PORT_BYTES];
    pid_t pid;
};

static enum cp_status choose_profile(struct attach *a, const char *kind,
                                     const char *option, struct cp_error *err)
{
    if (a->kind)
        return cp_error_set(
            err, CP_EUSAGE,
            "--cpu and --wall exclude each other; give one of them");
    a->kind = kind;
    if (cp_launch_seconds(option, optarg, &a->seconds, err) != CP_OK)
        return CP_EUSAGE;
    if (a->seconds >= 1)
        return CP_OK;
    return cp_error_set(err, CP_EUSAGE,
                        "%s %s: shorter than 1s; use 1s or more", option,
                        optarg);
}

static enum cp_status parse_option(struct attach *a, int option,
                                   struct cp_error *err)
{
    switch (option) {
    case OPTION_DETACH:
        a->is_detach = true;
        break;
    case OPTION_CPU:
        return choose_profile(a, "profile", "--cpu", err);
    case OPTION_WALL:
        return choose_profile(a, "wall", "--wall", err);
    case 'o':
        a->output = optarg;
        break;
    case OPTION_PORT:
        a->listen = a->port;
        return cp_launch_port(optarg, a->port, err);
    case OPTION_LISTEN:
        a->listen = optarg;
        break;
    case OPTION_OPEN:
        a->is_opened = true;
        break;
    case OPTION_SET:
        a->settings = optarg;
        break;
    case OPTION_LIBRARY:
        a->library = optarg;
        break;
    case 'h':
        a->wants_help = true;
        break;
    default:
        return cp_error_set(err, CP_EUSAGE,
                            "see cpprof attach --help for the options");
    }
    return CP_OK;
}

static enum cp_status read_options(struct attach *a, int argc, char **argv,
                                   struct cp_error *err)
{
    enum cp_status status = CP_OK;
    char *end;
    int option;

    while (status == CP_OK &&
           (option = getopt_long(argc, argv, "o:h", cp_launch_attach_options,
                                 NULL)) != -1)
        status = parse_option(a, option, err);
    if (status != CP_OK || a->wants_help)
        return status;
    if (optind + 1 != argc)
        return cp_error_set(err, CP_EUSAGE,
                            "%d arguments given; give one process number",
                            argc - optind);
    a->pid = (pid_t)strtol(argv[optind], &end, 10);
    if (*end || a->pid <= 0)
        return cp_error_set(err, CP_EUSAGE,
                            "%s: not a process number; ps and pgrep show it",
                            argv[optind]);
    if (a->output && !a->kind)
        return cp_error_set(err, CP_EUSAGE,
                            "-o needs --cpu or --wall, which write the file");
    return CP_OK;
}

static enum cp_status attach(const struct attach *a, char *address,
                             struct cp_error *err)
{
    char library[CP_LIBRARY_PATH], listen[CP_ATTACH_ADDRESS_BYTES];
    struct cp_attach request = { .pid = a->pid,
                                 .library = library,
                                 .listen = listen,
                                 .settings = a->settings ? a->settings : "" };
    struct cp_instance there;
    enum cp_status status = cp_library_find(library, a->library, err);

    if (status != CP_OK)
        return status;
    if (cp_instances_of_pid(a->pid, &there))
        return cp_error_set(err, CP_EUSAGE,
                            "process %ld already serves profiles at %s; "
                            "use that address, or detach first",
                            (long)a->pid, there.address);
    status = cp_attach_address_choose(a->pid, a->listen, listen, err);
    return status == CP_OK ? cp_attach(&request, address, err) : status;
}

/*
 * Detaches through the endpoint. Uses ptrace if the endpoint cannot be reached
 * (different network namespace).
 */
static enum cp_status detach(const struct attach *a, struct cp_error *err)
{
    struct cp_instance there;
    enum cp_status status = CP_EIO;

    if (cp_instances_of_pid(a->pid, &there))
        status = cp_attach_detach(there.address, err);
    else
        (void)cp_error_set(
            err, CP_EUSAGE,
            "process %ld does not serve profiles; see cpprof list",
            (long)a->pid);
    if (status == CP_EIO && cp_attach_withdraw(a->pid, NULL) == CP_OK)
        return CP_OK;
    return status;
}

/* ---- fetching a profile ---- */

/*
 * Set by Ctrl-C during a profile. The partial profile is then written, and the
 * library detached as usual.
 */
static volatile sig_atomic_t is_interrupted;

static void on_interrupt(int sig)
{
    (void)sig;
    is_interrupted = 1;
}

static enum cp_status fetch(const struct attach *a, const char *address, int fd,
                            struct cp_error *err)
{
    char target[128];
    struct cp_http_client_request question = {
        .method = "GET",
        .target = target,
        .timeout_ms = (int)(a->seconds * 1000) + GRACE_MS,
        .max_bytes = MAX_PROFILE_BYTES,
        .out_fd = fd,
        .is_interrupted = &is_interrupted
    };
    struct cp_http_address where;
    struct cp_http_reply reply;
    enum cp_status status = cp_http_client_parse(&where, address, err);

    (void)snprintf(target, sizeof(target), "/debug/pprof/%s?seconds=%.0f",
                   a->kind, a->seconds);
    if (status == CP_OK) {
        question.token = cp_http_token_for(&where);
        status = cp_http_client_send(&where, &question, &reply, err);
    }
    if (status == CP_OK && reply.status != 200)
        status =
            cp_error_set(err, CP_EIO, "cannot fetch %s from %s: status %d: %s",
                         a->kind, address, reply.status, reply.text);
    return status;
}

static const char *name_of(const struct attach *a)
{
    if (a->output)
        return a->output;
    return strcmp(a->kind, "wall") == 0 ? "wall.pb.gz" : "cpu.pb.gz";
}

static enum cp_status write_profile(const struct attach *a, const char *address,
                                    struct cp_error *err)
{
    const char *name = name_of(a);
    bool has_part = cp_target_is_replaceable(name);
    char part[4096];
    enum cp_status status;
    int fd;

    fd = has_part ? cp_new_file_beside(name, part, sizeof(part), 0666)
                  : cp_target_open(name, false);
    if (fd < 0)
        return cp_error_set(err, CP_EIO, "cannot write %s: %s", name,
                            cp_target_error(errno));
    status = fetch(a, address, fd, err);
    if (close(fd) != 0 && status == CP_OK)
        status = cp_error_set(err, CP_EIO, "cannot write %s: %s", name,
                              strerror(errno));
    if (status == CP_OK && has_part && rename(part, name) != 0)
        status = cp_error_set(err, CP_EIO, "cannot write %s: %s", name,
                              strerror(errno));
    if (status == CP_OK)
        (void)fprintf(stderr, "cpprof attach: written to %s\n", name);
    else if (has_part)
        (void)unlink(part);
    return status;
}

/*
 * Checks the output file before attaching: a failure afterwards would leave
 * the library in the process.
 */
static enum cp_status prepare(const struct attach *a, struct cp_error *err)
{
    struct sigaction action = { .sa_handler = on_interrupt };
    enum cp_status status = cp_launch_check_file(name_of(a), err);

    if (status != CP_OK)
        return status;
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    return CP_OK;
}

static enum cp_status profile_and_detach(const struct attach *a,
                                         const char *address,
                                         struct cp_error *err)
{
    struct cp_error later = { 0 };
    enum cp_status status = write_profile(a, address, err);

    if (cp_attach_detach(address, &later) == CP_OK ||
        cp_attach_withdraw(a->pid, &later) == CP_OK || status != CP_OK)
        return status;
    *err = later;
    return later.status;
}

static enum cp_status run(struct attach *a, struct cp_error *err)
{
    char address[CP_ATTACH_ADDRESS] = "";
    struct cp_viewer viewer;
    enum cp_status status;

    if (a->is_detach)
        return detach(a, err);
    if (a->is_opened) {
        status = cp_viewer_find(&viewer, CP_VIEWER_BROWSER, err);
        if (status != CP_OK)
            return status;
    }
    status = a->kind ? prepare(a, err) : CP_OK;
    if (status == CP_OK)
        status = attach(a, address, err);
    if (status == CP_OK && a->kind)
        return profile_and_detach(a, address, err);
    if (status == CP_OK)
        (void)fprintf(stderr,
                      "cpprof: pid %ld, profiles at %s\n"
                      "cpprof: end it with: cpprof attach --detach %ld\n",
                      (long)a->pid, address, (long)a->pid);
    if (status == CP_OK && a->is_opened)
        status = cp_viewer_show(&viewer, address, false, err);
    return status;
}

int cp_launch_attach_main(int argc, char **argv)
{
    struct attach a = { 0 };
    struct cp_error err = { 0 };
    enum cp_status status = read_options(&a, argc, argv, &err);

    if (status == CP_OK && a.wants_help) {
        (void)fputs(usage_text, stdout);
        return EXIT_OK;
    }
    if (status != CP_OK) {
        cp_print_line("cpprof attach: ", err.msg);
        return EXIT_MISUSED;
    }
    status = run(&a, &err);
    if (status != CP_OK)
        cp_print_line("cpprof attach: ", err.msg);
    return status == CP_OK ? EXIT_OK : EXIT_FAILED;
}
