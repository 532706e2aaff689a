/*
 * live.c - builds the command line of a child that takes a profile, and runs
 * it.
 */
#include "tool/input/live.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/out.h"
#include "report/source/child.h"
#include "tool/cli/command.h"
#include "tool/cli/url.h"

#define ROOT "/debug/pprof/"
#define ADDRESS_BYTES 4096
#define MAX_WORDS 12

/* The child's command line. */
struct words {
    char *items[MAX_WORDS];
    size_t n;
    struct cp_arena arena;
    bool has_failed;
};

static void add_word(struct words *w, const char *flag, const char *value)
{
    char text[ADDRESS_BYTES];
    int n = snprintf(text, sizeof(text), "%s%s", flag, value);
    char *copy = n < (int)sizeof(text)
                     ? cp_arena_copy(&w->arena, text, (size_t)n, NULL)
                     : NULL;

    if (!copy || w->n + 1 == MAX_WORDS)
        w->has_failed = true;
    else
        w->items[w->n++] = copy;
}

static void add_option(struct words *w, const char *flag, const char *value)
{
    if (value && *value)
        add_word(w, flag, value);
}

static void make_words(struct words *w, const struct cp_live *live,
                       const char *what)
{
    const struct cp_command *c = live->command;
    char address[ADDRESS_BYTES];

    (void)snprintf(address, sizeof(address), "%s%s", live->base, what);
    add_word(w, "/proc/self/exe", "");
    add_word(w, "pprof", "");
    add_word(w, "-proto", "");
    add_word(w, "-output=/dev/stdout", "");
    add_option(w, "-symbolize=", c->symbolize);
    add_option(w, "-tls_cert=", c->tls_cert);
    add_option(w, "-tls_key=", c->tls_key);
    add_option(w, "-tls_ca=", c->tls_ca);
    add_word(w, "", address);
    w->items[w->n] = NULL;
}

static enum cp_status take_profile(void *context, const char *what,
                                   struct cp_out *out, struct cp_error *err)
{
    struct cp_live *live = context;
    struct words w = { 0 };
    enum cp_status status;

    make_words(&w, live, what);
    if (w.has_failed)
        status = cp_error_set(err, CP_EUSAGE,
                              "the address of the profile is too long");
    else if (atomic_load(&live->is_cancelled))
        status = cp_error_set(err, CP_EIO, "interrupted");
    else
        status = cp_child_run_known(w.items, &live->pid, out, err);
    cp_arena_release(&w.arena);
    return status;
}

static void cancel(void *context)
{
    struct cp_live *live = context;
    int pid;

    atomic_store(&live->is_cancelled, true);
    pid = atomic_load(&live->pid);
    if (pid > 0)
        (void)kill(pid, SIGKILL);
}

bool cp_live_init(struct cp_live *live, const struct cp_command *c)
{
    const char *name = c->sources.n == 1 ? c->sources.items[0] : "", *root;
    char base[ADDRESS_BYTES];
    struct stat found;
    int n;

    *live = (struct cp_live){ .command = c };
    if (stat(name, &found) == 0 || !cp_url_is_url(name) ||
        c->bases.n + c->diff_bases.n > 0)
        return false;
    root = strstr(name, ROOT);
    if (root)
        n = snprintf(base, sizeof(base), "%.*s" ROOT, (int)(root - name), name);
    else if (!strchr(strstr(name, "://") ? strstr(name, "://") + 3 : name, '/'))
        n = snprintf(base, sizeof(base), "%s" ROOT, name);
    else
        return false;
    live->base = n < (int)sizeof(base)
                     ? cp_arena_copy(&live->arena, base, (size_t)n, NULL)
                     : NULL;
    live->web = (struct cp_web_live){ take_profile, cancel, live };
    return live->base != NULL;
}

void cp_live_release(struct cp_live *live)
{
    cp_arena_release(&live->arena);
}
