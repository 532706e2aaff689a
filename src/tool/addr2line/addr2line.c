/*
 * addr2line.c - options and input of `cpprof addr2line`.
 *
 * It resolves addresses from standard input in batches of all complete lines
 * that are available. So a program that writes one address and waits gets its
 * result at once, and a long list is resolved together.
 */
#include "tool/addr2line/addr2line.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/out.h"
#include "elf/elf_file.h"
#include "symbol/demangle/demangle_d.h"
#include "symbol/symbolizer.h"
#include "tool/addr2line/addr2line_print.h"
#include "tool/cli/print.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1 };

#define READ_BYTES ((size_t)1 << 16)
#define BATCH_BYTES                                                            \
    ((size_t)16 << 20) /* bytes of input; a larger batch is split */
#define PIPE_BYTES (1 << 20)

struct session {
    struct cp_addr2line_style style;
    const char *file, *section;
    struct cp_symbolizer *symbolizer;
    uint64_t base; /* address of the section given by -j */
    uint64_t *addresses;
    struct cp_addr2line_answer *answers;
    size_t n, addresses_cap, answers_cap;
    struct cp_out out;
};

static const char usage_text[] =
    "Usage: addr2line [option(s)] [addr(s)]\n"
    " Turns addresses into file names and line numbers.\n"
    " Addresses that are not given as arguments are read from standard input.\n"
    "  -a --addresses         show the addresses\n"
    "  -b --target=<format>   ignored, for compatibility\n"
    "  -e --exe=<file>        file that contains the addresses (a.out)\n"
    "  -i --inlines           show the callers of inlined functions\n"
    "  -j --section=<name>    addresses are offsets into that section\n"
    "  -p --pretty-print      one line for each address\n"
    "  -s --basenames         file names without directories\n"
    "  -f --functions         show function names\n"
    "  -C --demangle[=style]  demangle function names\n"
    "  -R --recurse-limit     ignored, for compatibility\n"
    "  -r --no-recurse-limit  ignored, for compatibility\n"
    "  -h --help              this text\n"
    "  -v --version           the version\n";

static const struct option long_options[] = {
    { "addresses", no_argument, NULL, 'a' },
    { "target", required_argument, NULL, 'b' },
    { "exe", required_argument, NULL, 'e' },
    { "inlines", no_argument, NULL, 'i' },
    { "section", required_argument, NULL, 'j' },
    { "pretty-print", no_argument, NULL, 'p' },
    { "basenames", no_argument, NULL, 's' },
    { "functions", no_argument, NULL, 'f' },
    { "demangle", optional_argument, NULL, 'C' },
    { "recurse-limit", no_argument, NULL, 'R' },
    { "recursion-limit", no_argument, NULL, 'R' },
    { "no-recurse-limit", no_argument, NULL, 'r' },
    { "no-recursion-limit", no_argument, NULL, 'r' },
    { "help", no_argument, NULL, 'h' },
    { "version", no_argument, NULL, 'v' },
    { NULL, 0, NULL, 0 },
};

/* Returns the exit status if the program should exit, else -1. */
static int parse_option(struct session *s, int option)
{
    switch (option) {
    case 'a':
        s->style.addresses = true;
        break;
    case 'e':
        s->file = optarg;
        break;
    case 'i':
        s->style.inlines = true;
        break;
    case 'j':
        s->section = optarg;
        break;
    case 'p':
        s->style.pretty = true;
        break;
    case 's':
        s->style.basenames = true;
        break;
    case 'f':
        s->style.functions = true;
        break;
    case 'C':
        s->style.demangle = !optarg || strcmp(optarg, "none") != 0;
        break;
    case 'b':
    case 'r':
    case 'R':
        break;
    case 'h':
    case 'H':
        (void)fputs(usage_text, stdout);
        return EXIT_OK;
    case 'v':
    case 'V':
        (void)puts("cpprof addr2line " CP_VERSION);
        return EXIT_OK;
    default:
        (void)fputs(usage_text, stderr);
        return EXIT_FAILED;
    }
    return -1;
}

static enum cp_status open_file(struct session *s, struct cp_error *err)
{
    struct cp_symbolizer_options options = { .is_parallel = true };
    struct cp_elf_section section;
    enum cp_status status =
        cp_symbolizer_open(&s->symbolizer, s->file, &options, err);

    if (status != CP_OK) {
        cp_error_prefix(err, "'%s': ", s->file);
        return status;
    }
    s->style.is_64 = cp_elf_is_64(cp_symbolizer_elf(s->symbolizer));
    if (!s->section)
        return CP_OK;
    if (!cp_elf_section(cp_symbolizer_elf(s->symbolizer), s->section, &section))
        return cp_error_set(err, CP_EUSAGE, "'%s': no section %s", s->file,
                            s->section);
    s->base = section.addr;
    return CP_OK;
}

static enum cp_status add_address(struct session *s, const char *text,
                                  struct cp_error *err)
{
    if (cp_reserve(&s->addresses, &s->addresses_cap, s->n + 1,
                   sizeof(*s->addresses), err) != CP_OK)
        return CP_ENOMEM;
    s->addresses[s->n++] = strtoull(text, NULL, 16) + s->base;
    return CP_OK;
}

static void store_frames(void *context, size_t index,
                         const struct cp_symbol_frame *frames, size_t n_frames)
{
    struct session *s = context;

    s->answers[index].frames = frames;
    s->answers[index].n_frames = n_frames;
}

/* Resolves and prints the batch. */
static enum cp_status flush(struct session *s, struct cp_error *err)
{
    enum cp_status status;

    if (s->n == 0)
        return CP_OK;
    status = cp_reserve(&s->answers, &s->answers_cap, s->n, sizeof(*s->answers),
                        err);
    for (size_t i = 0; status == CP_OK && i < s->n; i++)
        s->answers[i] =
            (struct cp_addr2line_answer){ .address = s->addresses[i] };
    if (status == CP_OK)
        status = cp_symbolizer_resolve(s->symbolizer, s->addresses, s->n,
                                       store_frames, s, err);
    for (size_t i = 0; status == CP_OK && i < s->n; i++)
        s->answers[i].address -= s->base;
    if (status == CP_OK)
        status = cp_addr2line_print(&s->style, s->answers, s->n, &s->out, err);
    if (status == CP_OK)
        status = cp_out_finish(&s->out, err);
    cp_symbolizer_drop_frames(s->symbolizer);
    s->n = 0;
    return status;
}

/*
 * Adds the complete lines of the text to the batch; returns the number of bytes
 * consumed.
 */
static size_t add_lines(struct session *s, char *text, size_t len,
                        enum cp_status *status, struct cp_error *err)
{
    size_t done = 0;
    char *end;

    while (*status == CP_OK && done < len &&
           (end = memchr(text + done, '\n', len - done))) {
        *end = 0;
        *status = add_address(s, text + done, err);
        done = (size_t)(end - text) + 1;
    }
    return done;
}

static bool is_more_waiting(void)
{
    struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

    return poll(&in, 1, 0) == 1 && (in.revents & POLLIN);
}

/* Reads standard input to its end. */
static enum cp_status resolve_input(struct session *s, struct cp_error *err)
{
    char *text = NULL;
    size_t len = 0, cap = 0, done;
    ssize_t got;
    enum cp_status status = CP_OK;

    (void)fcntl(STDIN_FILENO, F_SETPIPE_SZ, PIPE_BYTES);
    while (status == CP_OK) {
        status = cp_reserve(&text, &cap, len + READ_BYTES, 1, err);
        if (status != CP_OK)
            break;
        got = read(STDIN_FILENO, text + len, READ_BYTES - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            status = cp_error_set(err, CP_EIO, "read: %s", strerror(errno));
        if (got <= 0)
            break;
        len += (size_t)got;
        if (len < BATCH_BYTES && is_more_waiting())
            continue;
        done = add_lines(s, text, len, &status, err);
        if (done == 0 && len >= BATCH_BYTES)
            status = cp_error_set(
                err, CP_EFORMAT,
                "standard input has a line longer than %zu bytes", BATCH_BYTES);
        memmove(text, text + done, len - done);
        len -= done;
        if (status == CP_OK)
            status = flush(s, err);
    }
    if (status == CP_OK && len > 0) {
        if (text[len - 1] != '\n') /* last line without a newline */
            text[len++] = '\n';
        (void)add_lines(s, text, len, &status, err);
    }
    if (status == CP_OK)
        status = flush(s, err);
    cp_free(text);
    return status;
}

static enum cp_status answer(struct session *s, char *const *args,
                             struct cp_error *err)
{
    enum cp_status status = open_file(s, err);

    if (status == CP_OK && !*args)
        return resolve_input(s, err);
    for (; status == CP_OK && *args; args++)
        status = add_address(s, *args, err);
    return status == CP_OK ? flush(s, err) : status;
}

int cp_addr2line_main(int argc, char **argv)
{
    struct session s = { .file = "a.out",
                         .out = cp_out_terminal(STDOUT_FILENO) };
    struct cp_error err = { 0 };
    enum cp_status status;
    int option;

    cp_demangle_also(cp_demangle_d);
    while ((option = getopt_long(argc, argv, "ab:e:ij:psfCrRhHvV", long_options,
                                 NULL)) != -1) {
        int exit_status = parse_option(&s, option);

        if (exit_status >= 0)
            return exit_status;
    }
    status = answer(&s, argv + optind, &err);
    if (status != CP_OK)
        cp_print_line("addr2line: ", err.msg);
    cp_symbolizer_close(s.symbolizer);
    cp_out_release(&s.out);
    cp_free(s.addresses);
    cp_free(s.answers);
    return status == CP_OK ? EXIT_OK : EXIT_FAILED;
}
