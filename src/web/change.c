/* change.c - checks and executes the POST requests of the page. */
#include "web/change.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/hex.h"
#include "http/exchange.h"
#include "http/request.h"
#include "report/core/options.h"
#include "web/configs.h"
#include "web/jobs.h"
#include "web/query.h"

#define KIND_BYTES 32
#define MAX_SECONDS 600

void cp_web_token(char out[CP_WEB_TOKEN_BYTES])
{
    unsigned char bytes[(CP_WEB_TOKEN_BYTES - 1) / 2];

    *out = '\0';
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return;
    cp_hex_text(bytes, sizeof(bytes), out);
}

/* Compares in constant time. */
static bool is_token(const char *given, const char *token)
{
    unsigned char differs = 0;

    if (*token == '\0' || !given || strlen(given) != strlen(token))
        return false;
    for (size_t i = 0; token[i]; i++)
        differs |= (unsigned char)(given[i] ^ token[i]);
    return differs == 0;
}

static enum cp_status do_config(const struct cp_web_changer *c,
                                const struct cp_http_request *r,
                                struct cp_arena *arena, struct cp_error *err)
{
    const char *what = cp_web_param(r, "do", arena, err),
               *name = cp_web_param(r, "config", arena, err),
               *to = cp_web_param(r, "to", arena, err);
    struct cp_options options = *c->report;
    char path[4096];

    if (!what || !name)
        return cp_error_set(err, CP_EUSAGE, "invalid config name");
    if (!cp_configs_path(path, sizeof(path)))
        return cp_error_set(err, CP_EUSAGE,
                            "no place to save a config: HOME is not set");
    if (strcmp(what, "delete") == 0)
        return cp_configs_delete(path, name, err);
    if (strcmp(what, "rename") == 0)
        return cp_configs_rename(path, name, to ? to : "", err);
    if (strcmp(what, "save") != 0)
        return cp_error_set(err, CP_EUSAGE, "do=%s: use save, rename or delete",
                            what);
    if (cp_web_query(r, &options, arena, err) != CP_OK)
        return err->status;
    return cp_configs_save(path, name, &options, err);
}

static void change_config(const struct cp_web_changer *c,
                          struct cp_http_exchange *x)
{
    struct cp_arena arena = { 0 };
    struct cp_error err = { 0 };

    if (do_config(c, cp_http_request_of(x), &arena, &err) == CP_OK)
        cp_http_answer_text(x, 200, "ok\n");
    else
        cp_http_answer_text(x, err.status == CP_EIO ? 500 : 400, err.msg);
    cp_arena_release(&arena);
}

/*
 * Builds "profile?seconds=5" from kind and seconds; NULL if they are invalid.
 */
static const char *read_kind(const struct cp_http_request *r,
                             struct cp_arena *arena, struct cp_error *err)
{
    char kind[KIND_BYTES], text[16], what[KIND_BYTES + 32], *end = "";
    long seconds = 0;

    (void)cp_http_request_param(r, "kind", kind, sizeof(kind));
    if (cp_http_request_param(r, "seconds", text, sizeof(text)))
        seconds = strtol(text, &end, 10);
    if (*kind == '\0' || kind[strspn(kind, "abcdefghijklmnopqrstuvwxyz_")] ||
        *end || seconds < 0 || seconds > MAX_SECONDS) {
        (void)cp_error_set(err, CP_EUSAGE,
                           "kind is missing or invalid, or seconds is");
        return NULL;
    }
    (void)snprintf(what, sizeof(what), seconds ? "%s?seconds=%ld" : "%s", kind,
                   seconds);
    return cp_arena_copy(arena, what, strlen(what), err);
}

static void take(const struct cp_web_changer *c, struct cp_http_exchange *x)
{
    struct cp_options options = *c->report;
    struct cp_arena arena = { 0 };
    struct cp_error err = { 0 };

    options.argument = read_kind(cp_http_request_of(x), &arena, &err);
    if (!options.argument || cp_web_jobs_add(c->take_jobs, x, CP_WEB_TAKE,
                                             "application/octet-stream",
                                             &options, &arena, &err) != CP_OK)
        cp_http_answer_text(x, err.status == CP_ENOMEM ? 503 : 400, err.msg);
    cp_arena_release(&arena);
}

void cp_web_change(const struct cp_web_changer *c, struct cp_http_exchange *x)
{
    const struct cp_http_request *r = cp_http_request_of(x);
    const char *path = cp_http_request_path(r);
    bool is_take = strcmp(path, "/ui/take") == 0 && c->take_jobs;

    if (!is_take && strcmp(path, "/ui/config") != 0)
        cp_http_answer_text(x, 405, "only GET and HEAD\n");
    else if (!is_token(cp_http_request_header(r, "X-Pprof-Token"), c->token))
        cp_http_answer_text(
            x, 403,
            "refused: the request lacks the token of this page; "
            "reload the page\n");
    else if (is_take)
        take(c, x);
    else
        change_config(c, x);
}
