/* launch_args.c - parses durations, ports, output files and targets. */
#include "tool/attach/launch_args.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/instance.h"
#include "base/pid_name.h"
#include "base/target_file.h"
#include "launch/instances.h"

#define MAX_SECONDS 86400.0

static const struct {
    const char *name;
    double seconds;
} units[] = { { "ms", 1e-3 }, { "s", 1 }, { "m", 60 }, { "h", 3600 } };

/*
 * Skips the unit at *text and returns its length in seconds; 0 if there is
 * none.
 */
static double parse_unit(const char **text)
{
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        size_t len = strlen(units[i].name);

        if (strncmp(*text, units[i].name, len) == 0) {
            *text += len;
            return units[i].seconds;
        }
    }
    return 0;
}

enum cp_status cp_launch_seconds(const char *option, const char *text,
                                 double *out, struct cp_error *err)
{
    const char *p = text;
    double sum = 0;

    do {
        size_t len = strspn(p, "0123456789.");
        double value, unit;

        if (*p < '0' || *p > '9' || len > 12 || p[len] == 'e' || p[len] == 'x')
            goto bad;
        value = strtod(p, NULL);
        p += len;
        unit = parse_unit(&p);
        if (unit == 0 && (*p || sum > 0))
            goto bad;
        sum += value * (unit > 0 ? unit : 1);
    } while (*p);
    if (sum <= MAX_SECONDS) {
        *out = sum;
        return CP_OK;
    }
bad:
    return cp_error_set(
        err, CP_EUSAGE,
        "%s %s: not a duration; use 10s, 2m or 1h (at most 24h)", option, text);
}

enum cp_status cp_launch_port(const char *text, char out[CP_LAUNCH_PORT_BYTES],
                              struct cp_error *err)
{
    char *end;
    unsigned long port = strtoul(text, &end, 10);

    if (*text < '0' || *text > '9' || *end || port > 65535)
        return cp_error_set(err, CP_EUSAGE,
                            "--profile-port %s: not a port; use 0 to 65535",
                            text);
    (void)snprintf(out, CP_LAUNCH_PORT_BYTES, "localhost:%lu", port);
    return CP_OK;
}

enum cp_status cp_launch_check_file(const char *file, struct cp_error *err)
{
    const char *slash = strrchr(file, '/');
    char folder[4096] = "./";
    struct stat st;
    bool is_good;

    if (slash)
        (void)snprintf(folder, sizeof(folder), "%.*s/", (int)(slash - file),
                       file);
    if (strstr(folder, CP_PID_NAME))
        return CP_OK;
    if (stat(file, &st) == 0 && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        is_good = false;
    } else if (stat(file, &st) == 0 && !cp_target_is_replaceable(file)) {
        is_good = faccessat(AT_FDCWD, file, W_OK, AT_EACCESS) == 0;
    } else {
        is_good = faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0;
    }
    return is_good ? CP_OK
                   : cp_error_set(err, CP_EIO, "cannot write %s: %s", file,
                                  strerror(errno));
}

static bool is_number(const char *text)
{
    return *text && text[strspn(text, "0123456789")] == '\0';
}

/* Returns how well the target matches: 2 exactly, 1 by prefix, 0 not at all. */
static int match_score(const struct cp_instance *i, const char *what)
{
    if (!what)
        return 1;
    if (is_number(what) && strtol(what, NULL, 10) == i->pid)
        return 2;
    if (strcmp(i->app_id, what) == 0)
        return 2;
    return strncmp(i->app_id, what, strlen(what)) == 0;
}

static enum cp_status pick(const struct cp_instances *list, const char *what,
                           struct cp_instance *out, struct cp_error *err)
{
    size_t n = 0, found = 0;

    for (int wanted = 2; wanted > 0 && n == 0; wanted--)
        for (size_t i = 0; i < list->n; i++)
            if (match_score(&list->items[i], what) == wanted) {
                found = i;
                n++;
            }
    if (n == 1) {
        *out = list->items[found];
        return CP_OK;
    }
    if (n > 1)
        return cp_error_set(err, CP_EUSAGE,
                            "%zu programs %s%s; give a process number from "
                            "cpprof list",
                            n, what ? "match " : "serve profiles",
                            what ? what : "");
    return cp_error_set(err, CP_EUSAGE,
                        "no program%s%s serves profiles; start one with "
                        "cpprof run, or attach to one with cpprof attach",
                        what ? " " : "", what ? what : "");
}

enum cp_status cp_launch_pick(const char *what, struct cp_instance *out,
                              struct cp_error *err)
{
    struct cp_instances list;
    enum cp_status status = cp_instances_find(&list, err);

    if (status != CP_OK)
        return status;
    status = pick(&list, what, out, err);
    cp_instances_release(&list);
    return status;
}

void cp_launch_age(int64_t since_s, char out[CP_LAUNCH_AGE_BYTES])
{
    long long s = (long long)time(NULL) - (long long)since_s;

    s = s < 0 ? 0 : s;
    if (s < 60)
        (void)snprintf(out, CP_LAUNCH_AGE_BYTES, "%llds", s);
    else if (s < 3600)
        (void)snprintf(out, CP_LAUNCH_AGE_BYTES, "%lldm", s / 60);
    else if (s < 86400)
        (void)snprintf(out, CP_LAUNCH_AGE_BYTES, "%lldh%02lldm", s / 3600,
                       s / 60 % 60);
    else
        (void)snprintf(out, CP_LAUNCH_AGE_BYTES, "%lldd%02lldh", s / 86400,
                       s / 3600 % 24);
}
