/* url.c - recognizes and parses the addresses of servers. */
#include "tool/cli/url.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define PROFILE_PATH "/pprof/profile"
#define DEFAULT_PATH "/debug" PROFILE_PATH
#define DEFAULT_SECONDS 30 /* default duration of Go and gperftools servers */

static const char *const schemes[] = { "http://", "https://",
                                       "https+insecure://", "unix:/" };

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Matches host:port and [::1]:port, with an optional path. */
static bool is_host_and_port(const char *name)
{
    const char *end = name + strcspn(name, "/?"), *colon = end;

    while (colon > name && isdigit((unsigned char)colon[-1]))
        colon--;
    return colon < end && end - colon <= 5 && colon - name >= 2 &&
           colon[-1] == ':' && name[0] != ':';
}

bool cp_url_is_url(const char *name)
{
    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
        if (begins(name, schemes[i]))
            return true;
    return is_host_and_port(name);
}

/* Returns the start of the value of "seconds" in a query, or NULL. */
static const char *find_seconds(const char *query)
{
    for (const char *at = query; at; at = strchr(at, '&')) {
        at += *at == '?' || *at == '&';
        if (begins(at, "seconds="))
            return at + strlen("seconds=");
    }
    return NULL;
}

/* Sets seconds= in the query: replaces it or appends it. */
static char *with_seconds(const char *text, int seconds, struct cp_arena *arena,
                          struct cp_error *err)
{
    const char *query = strchr(text, '?');
    const char *value = query ? find_seconds(query) : NULL;

    if (value)
        return cp_arena_printf(arena, err, "%.*s%d%s", (int)(value - text),
                               text, seconds, value + strcspn(value, "&"));
    return cp_arena_printf(arena, err, "%s%cseconds=%d", text,
                           query ? '&' : '?', seconds);
}

/* Appends the default path to an address without one. */
static char *with_path(const char *scheme, const char *rest,
                       struct cp_arena *arena, struct cp_error *err)
{
    size_t n_host = strcspn(rest, "/?");
    const char *path = rest + n_host;
    bool is_bare = *path == '\0' || *path == '?' ||
                   (path[0] == '/' && (path[1] == '\0' || path[1] == '?'));

    if (is_bare && *path == '/')
        path++;
    return cp_arena_printf(arena, err, "%s%.*s%s%s", scheme, (int)n_host, rest,
                           is_bare ? DEFAULT_PATH : "", path);
}

static enum cp_status read_socket(struct cp_url *u, const char *name,
                                  struct cp_arena *arena, struct cp_error *err)
{
    const char *path = name + strlen("unix:");
    const char *colon = strstr(path, ":/");
    size_t n = colon ? (size_t)(colon - path) : strlen(path);

    u->socket = cp_arena_copy(arena, path, n, err);
    u->text = with_path("http://", colon ? "" : "localhost", arena, err);
    if (colon)
        u->text = cp_arena_printf(arena, err, "http://localhost%s", colon + 1);
    return u->socket && u->text ? CP_OK : CP_ENOMEM;
}

/*
 * Returns the part of an address after its scheme; the whole address if it has
 * none.
 */
static const char *behind_scheme(const char *name)
{
    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
        if (begins(name, schemes[i]))
            return name + strlen(schemes[i]);
    return name;
}

const char *cp_url_redact(const char *name, struct cp_arena *arena)
{
    const char *host = behind_scheme(name), *end = host + strcspn(host, "/?");
    const char *at = memrchr(host, '@', (size_t)(end - host));
    const char *colon = at ? memchr(host, ':', (size_t)(at - host)) : NULL;
    const char *hidden;

    if (!colon || !cp_url_is_url(name))
        return name;
    hidden = cp_arena_printf(arena, NULL, "%.*s:xxxxx%s", (int)(colon - name),
                             name, at);
    return hidden ? hidden : "(an address with a password)";
}

/*
 * Seconds that the server takes before it replies, as far as its path and query
 * show.
 */
static int expected_seconds(const struct cp_url *u)
{
    size_t n = strcspn(u->text, "?");
    size_t n_path = strlen(PROFILE_PATH);

    if (u->seconds > 0)
        return u->seconds;
    return n >= n_path &&
                   memcmp(u->text + n - n_path, PROFILE_PATH, n_path) == 0
               ? DEFAULT_SECONDS
               : 0;
}

enum cp_status cp_url_read(struct cp_url *u, const char *name, int seconds,
                           struct cp_arena *arena, struct cp_error *err)
{
    bool is_tls = begins(name, "https://") || begins(name, "https+insecure://");
    const char *query;

    *u = (struct cp_url){ .is_insecure = begins(name, "https+insecure://") };
    if (begins(name, "unix:/")) {
        if (read_socket(u, name, arena, err) != CP_OK)
            return CP_ENOMEM;
    } else {
        u->text = with_path(is_tls ? "https://" : "http://",
                            behind_scheme(name), arena, err);
    }
    if (u->text && seconds > 0)
        u->text = with_seconds(u->text, seconds, arena, err);
    if (!u->text)
        return CP_ENOMEM;
    query = strchr(u->text, '?');
    if (query && find_seconds(query))
        u->seconds = atoi(find_seconds(query));
    u->expected = expected_seconds(u);
    return CP_OK;
}
