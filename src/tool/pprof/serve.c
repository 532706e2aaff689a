/*
 * serve.c - starts the server of the web page, prints its address and opens a
 * browser.
 */
#include "tool/pprof/serve.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "profile/model/profile.h"
#include "tool/cli/command.h"
#include "tool/cli/print.h"
#include "tool/cli/viewer.h"
#include "tool/input/live.h"
#include "web/web.h"

static struct cp_web *serving; /* used by the signal handler */

static void stop(int signal)
{
    (void)signal;
    cp_web_stop(serving);
}

/*
 * Returns the title of the page: the program's name, or the file's if the
 * profile has none.
 */
static const char *title_of(const struct cp_command *c,
                            const struct cp_profile *p)
{
    const char *slash;

    for (uint32_t i = 0; i < p->n_mappings; i++)
        if (p->mappings[i].file != 0)
            return cp_path_base(cp_profile_str(p, p->mappings[i].file)).ptr;
    if (c->sources.n == 0)
        return "profile";
    slash = strrchr(c->sources.items[0], '/');
    return slash && slash[1] ? slash + 1 : c->sources.items[0];
}

void cp_serve_catch(void (*handler)(int signal))
{
    struct sigaction action = { .sa_handler = handler };

    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

void cp_serve_announce(const char *url, bool no_browser)
{
    struct cp_viewer viewer;
    struct cp_error err = { 0 };
    char line[256];

    (void)snprintf(line, sizeof(line), "Serving web UI on %s", url);
    cp_print_line("", line);
    if (no_browser || !isatty(STDOUT_FILENO)) /* like google/pprof */
        return;
    if (cp_viewer_find(&viewer, CP_VIEWER_BROWSER, &err) != CP_OK ||
        cp_viewer_show(&viewer, url, false, &err) != CP_OK)
        cp_print_line("", "No browser could be started; open the address "
                          "above in one.");
}

enum cp_status cp_serve(const struct cp_command *c, const struct cp_profile *p,
                        struct cp_error *err)
{
    struct cp_live live;
    bool is_live = cp_live_init(&live, c);
    struct cp_web_options options = { .profile = p,
                                      .report = c->options,
                                      .title = title_of(c, p),
                                      .host_port = c->http,
                                      .live = is_live ? &live.web : NULL };
    enum cp_status status = cp_web_open(&serving, &options, err);

    if (status != CP_OK) {
        cp_live_release(&live);
        return status;
    }
    cp_serve_catch(stop);
    cp_serve_announce(cp_web_url(serving), c->no_browser);
    status = cp_web_run(serving, err);
    cp_serve_catch(SIG_IGN); /* ignore a second signal during shutdown */
    cp_web_close(serving);
    cp_live_release(&live);
    return status;
}
