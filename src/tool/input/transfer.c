/*
 * transfer.c - sets up a libcurl handle, receives the body, and reports
 * errors.
 */
#include "tool/input/transfer.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/token.h"

#define DEFAULT_TIMEOUT 60
#define CONNECT_TIMEOUT 30
#define GRACE 5 /* seconds for a reply beyond the profile's duration */
#define MAX_BYTES ((size_t)1 << 30)
#define MAX_FILE_BYTES ((size_t)4 << 30)
#define MAX_FILE_SECONDS 3600 /* added to the timeout for a file */
#define MAX_HEADER_BYTES ((size_t)1 << 20)
#define MAX_SERVER_TEXT 300

/* Appends to the file. */
static bool save(struct cp_transfer *t, const char *bytes, size_t len)
{
    t->n_written += len;
    if (t->n_written > MAX_FILE_BYTES) {
        t->is_too_long = true;
        return false;
    }
    while (len > 0) {
        ssize_t n = write(t->fetch->fd, bytes, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            t->save_errno = n < 0 ? errno : ENOSPC;
            return false;
        }
        bytes += n;
        len -= (size_t)n;
    }
    return true;
}

static size_t on_body(char *bytes, size_t size, size_t n, void *context)
{
    struct cp_transfer *t = context;
    struct cp_bytes *b = &t->fetch->body;
    size_t len = size * n;

    if (t->fetch->fd > 0)
        return save(t, bytes, len) ? len : 0;
    if (b->len + len > MAX_BYTES) {
        t->is_too_long = true;
        return 0;
    }
    if (cp_bytes_reserve(b, b->len + len + b->len / 2, NULL) != CP_OK)
        return 0;
    memcpy(b->data + b->len, bytes, len);
    b->len += len;
    return len;
}

/* Whether a header line has this name, ignoring case. */
static bool is_header(const char *line, size_t len, const char *name)
{
    size_t n = strlen(name);

    return len > n && strncasecmp(line, name, n) == 0 && line[n] == ':';
}

/* Parses a status line, "HTTP/1.1 404 Not Found". It may follow a redirect. */
static void begin_reply(struct cp_transfer *t, const char *line, size_t len)
{
    const char *end = line + len, *at = memchr(line, ' ', len);
    size_t n;

    t->has_server_text = t->is_text = false;
    at = at ? memchr(at + 1, ' ', (size_t)(end - at - 1)) : NULL;
    at = at ? at + 1 : end;
    while (end > at && isspace((unsigned char)end[-1]))
        end--;
    n = (size_t)(end - at);
    if (n >= sizeof(t->reason))
        n = sizeof(t->reason) - 1;
    memcpy(t->reason, at, n);
    t->reason[n] = '\0';
}

static size_t on_header(char *line, size_t size, size_t n, void *context)
{
    struct cp_transfer *t = context;
    size_t len = size * n;

    t->n_header_bytes += len;
    if (t->n_header_bytes > MAX_HEADER_BYTES) {
        t->is_too_long = true;
        return 0;
    }
    if (len > 5 && memcmp(line, "HTTP/", 5) == 0)
        begin_reply(t, line, len);
    if (is_header(line, len, "X-Go-Pprof"))
        t->has_server_text = true;
    if (is_header(line, len, "Content-Type"))
        t->is_text = memmem(line, len, "text/plain", 10) != NULL;
    return len;
}

static int on_socket(void *context, curl_socket_t fd, curlsocktype purpose)
{
    struct cp_transfer *t = context;

    (void)purpose;
    if (t->n_sockets < CP_TRANSFER_SOCKETS)
        t->sockets[t->n_sockets++] = fd;
    return CURL_SOCKOPT_OK;
}

static int on_close(void *context, curl_socket_t fd)
{
    struct cp_transfer *t = context;

    for (size_t i = 0; i < t->n_sockets; i++)
        if (t->sockets[i] == fd)
            t->sockets[i--] = t->sockets[--t->n_sockets];
    return close(fd);
}

/*
 * Returns the timeout of the exchange in seconds. A -timeout close to the
 * profile's duration is extended, so that the server can send the profile.
 */
static long timeout_of(const struct cp_transfer *t)
{
    long timeout = t->options->timeout, seconds = t->url.seconds;

    if (timeout <= 0)
        return (seconds > 0 ? seconds * 3 / 2 : DEFAULT_TIMEOUT) + GRACE;
    if (timeout >= seconds && timeout < seconds + GRACE && seconds > 0)
        return seconds + GRACE;
    return timeout;
}

static void set_security(const struct cp_transfer *t, CURL *handle)
{
    const struct cp_curl *c = t->curl;
    const struct cp_fetch_options *o = t->options;
    const char *ca = *o->tls_ca ? o->tls_ca : getenv("SSL_CERT_FILE");

    if (t->url.is_insecure) {
        (void)c->easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 0L);
        (void)c->easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 0L);
    }
    if (*o->tls_cert)
        (void)c->easy_setopt(handle, CURLOPT_SSLCERT, o->tls_cert);
    if (*o->tls_key)
        (void)c->easy_setopt(handle, CURLOPT_SSLKEY, o->tls_key);
    if (ca && *ca)
        (void)c->easy_setopt(handle, CURLOPT_CAINFO, ca);
}

/*
 * Sets proxies as Go does where libcurl differs: connects to this machine
 * directly, and uses HTTP_PROXY unless a CGI server set it.
 */
static void set_proxy(struct cp_transfer *t, CURL *handle)
{
    const char *none = getenv("no_proxy"), *proxy = getenv("HTTP_PROXY");
    const char *here;

    if (!none)
        none = getenv("NO_PROXY");
    here = cp_arena_printf(&t->arena, NULL, "%s%slocalhost,127.0.0.0/8,::1",
                           none ? none : "", none && *none ? "," : "");
    if (here && !(none && strcmp(none, "*") == 0))
        (void)t->curl->easy_setopt(handle, CURLOPT_NOPROXY, here);
    if (proxy && *proxy && !getenv("http_proxy") && !getenv("REQUEST_METHOD") &&
        strncmp(t->url.text, "http://", 7) == 0)
        (void)t->curl->easy_setopt(handle, CURLOPT_PROXY, proxy);
}

/* Sets the timeout: fixed for a profile; for a file, minimum 1 kB/s. */
static void set_timeout(const struct cp_transfer *t, CURL *handle)
{
    const struct cp_curl *c = t->curl;
    long timeout = timeout_of(t);

    if (t->fetch->fd > 0) {
        (void)c->easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, timeout);
        (void)c->easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1024L);
        (void)c->easy_setopt(handle, CURLOPT_TIMEOUT,
                             timeout + MAX_FILE_SECONDS);
    } else {
        (void)c->easy_setopt(handle, CURLOPT_TIMEOUT, timeout);
    }
    (void)c->easy_setopt(handle, CURLOPT_CONNECTTIMEOUT,
                         timeout < CONNECT_TIMEOUT ? timeout : CONNECT_TIMEOUT);
}

static void set_post(const struct cp_transfer *t, CURL *handle)
{
    static struct curl_slist header = {
        (char *)(uintptr_t) "Content-Type: application/octet-stream", NULL
    };
    const struct cp_curl *c = t->curl;

    (void)c->easy_setopt(handle, CURLOPT_POSTFIELDS, t->fetch->post);
    (void)c->easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE,
                         (curl_off_t)t->fetch->post_len);
    (void)c->easy_setopt(handle, CURLOPT_HTTPHEADER, &header);
}

/*
 * Sends the token. libcurl drops it on a redirect to a different host. If the
 * address has a password, the password is sent instead.
 */
static void set_token(const struct cp_transfer *t, CURL *handle)
{
    const char *token = getenv(CP_HTTP_TOKEN_VARIABLE);
    const char *host = strstr(t->url.text, "://");

    if (!t->fetch->is_named || !token || !cp_http_token_is_valid(token) ||
        !host || host[3 + strcspn(host + 3, "/?#@")] == '@')
        return;
    (void)t->curl->easy_setopt(handle, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
    (void)t->curl->easy_setopt(handle, CURLOPT_XOAUTH2_BEARER, token);
}

static void set_options(struct cp_transfer *t, CURL *handle)
{
    const struct cp_curl *c = t->curl;

    (void)c->easy_setopt(handle, CURLOPT_URL, t->url.text);
    (void)c->easy_setopt(handle, CURLOPT_PRIVATE, t);
    (void)c->easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    /*
     * cp_transfer_half_close shuts down the connection, so requests must not
     * share one.
     */
    (void)c->easy_setopt(handle, CURLOPT_HTTP_VERSION,
                         (long)CURL_HTTP_VERSION_1_1);
    (void)c->easy_setopt(handle, CURLOPT_FORBID_REUSE, 1L);
    (void)c->easy_setopt(handle, CURLOPT_FRESH_CONNECT, 1L);
    (void)c->easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, on_socket);
    (void)c->easy_setopt(handle, CURLOPT_SOCKOPTDATA, t);
    (void)c->easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, on_close);
    (void)c->easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, t);
    (void)c->easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    (void)c->easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 1L);
    (void)c->easy_setopt(handle, CURLOPT_MAXREDIRS, 10L);
    set_timeout(t, handle);
    set_token(t, handle);
    if (t->fetch->post)
        set_post(t, handle);
    (void)c->easy_setopt(handle, CURLOPT_USERAGENT, "pprof");
    (void)c->easy_setopt(handle, CURLOPT_ERRORBUFFER, t->problem);
    (void)c->easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_body);
    (void)c->easy_setopt(handle, CURLOPT_WRITEDATA, t);
    (void)c->easy_setopt(handle, CURLOPT_HEADERFUNCTION, on_header);
    (void)c->easy_setopt(handle, CURLOPT_HEADERDATA, t);
    if (t->url.socket)
        (void)c->easy_setopt(handle, CURLOPT_UNIX_SOCKET_PATH, t->url.socket);
    else
        set_proxy(t, handle);
    set_security(t, handle);
}

void cp_transfer_init(struct cp_transfer *t, struct cp_fetch *fetch,
                      const struct cp_fetch_options *o,
                      const struct cp_curl *curl)
{
    *t = (struct cp_transfer){ .fetch = fetch, .options = o, .curl = curl };
    (void)cp_url_read(&t->url, fetch->name, o->seconds, &t->arena, &fetch->err);
}

bool cp_transfer_start(struct cp_transfer *t, CURLM *multi)
{
    t->handle = t->curl->easy_init();
    if (t->handle) {
        (void)clock_gettime(CLOCK_MONOTONIC, &t->started_at);
        set_options(t, t->handle);
        if (t->curl->multi_add_handle(multi, t->handle) == CURLM_OK)
            return true;
        t->curl->easy_cleanup(t->handle);
        t->handle = NULL;
    }
    (void)cp_error_nomem(&t->fetch->err);
    return false;
}

/* Copies the server's own error text, if any, as one line. */
static size_t copy_server_text(const struct cp_transfer *t, char *line)
{
    const struct cp_bytes *b = &t->fetch->body;
    size_t len = b->len < MAX_SERVER_TEXT ? b->len : MAX_SERVER_TEXT;

    if (!t->has_server_text && !t->is_text)
        return 0;
    for (size_t i = 0; i < len; i++)
        line[i] = isspace(b->data[i]) ? ' ' : (char)b->data[i];
    while (len > 0 && line[len - 1] == ' ')
        len--;
    return len;
}

/* Sets an error like "server response: 404 Not Found - Unknown profile". */
static void refuse(struct cp_transfer *t, long code)
{
    char message[MAX_SERVER_TEXT] = "set PPROFTOKEN, if the server has a token";
    size_t len = copy_server_text(t, message);

    if (len == 0 && code == 401)
        len = strlen(message);
    (void)cp_error_set(&t->fetch->err, CP_EIO, "server response: %ld%s%s%s%.*s",
                       code, *t->reason ? " " : "", t->reason, len ? " - " : "",
                       (int)len, message);
}

static void note_timeout(struct cp_transfer *t)
{
    long limit = timeout_of(t);
    size_t len = t->fetch->body.len;

    if (len > 0)
        (void)cp_error_set(
            &t->fetch->err, CP_EIO,
            "only %zu bytes arrived within %ld s; raise -timeout", len, limit);
    else if (cp_seconds_since(&t->started_at) < (double)limit - 1)
        (void)cp_error_set(&t->fetch->err, CP_EIO, "no connection within %d s",
                           CONNECT_TIMEOUT);
    else
        (void)cp_error_set(&t->fetch->err, CP_EIO,
                           "no reply within %ld s; raise -timeout", limit);
}

/* Returns advice for a failure; "" if none applies. */
static const char *advice_on(const struct cp_transfer *t, CURLcode result)
{
    if (result == CURLE_PEER_FAILED_VERIFICATION)
        return "; see -tls_ca and https+insecure://";
    if (result == CURLE_SSL_CACERT_BADFILE && !*t->options->tls_ca)
        return "; install ca-certificates, or see -tls_ca and "
               "https+insecure://";
    if (strstr(t->problem, "certificate required"))
        return "; see -tls_cert";
    return "";
}

/*
 * Sets the error from libcurl's message. libcurl keeps the first message, which
 * is not always the best one.
 */
static void note_problem(struct cp_transfer *t, CURLcode result)
{
    bool is_known = *t->problem && !strstr(t->problem, "name() failed with");
    const char *message =
        is_known ? t->problem : t->curl->easy_strerror(result);
    long number = 0;

    (void)t->curl->easy_getinfo(t->handle, CURLINFO_OS_ERRNO, &number);
    if (result == CURLE_COULDNT_CONNECT && number > 0)
        (void)cp_error_set(&t->fetch->err, CP_EIO, "cannot connect: %s",
                           strerror((int)number));
    else
        (void)cp_error_set(&t->fetch->err, CP_EIO, "%s%s", message,
                           advice_on(t, result));
}

static void note_result(struct cp_transfer *t, CURLcode result)
{
    long code = 0;

    (void)t->curl->easy_getinfo(t->handle, CURLINFO_RESPONSE_CODE, &code);
    t->fetch->http_status = code;
    if (t->is_half_closed && (result != CURLE_OK || code != 200))
        (void)cp_error_set(&t->fetch->err, CP_EIO, "interrupted");
    else if (t->is_too_long)
        (void)cp_error_set(
            &t->fetch->err, CP_EIO, "the server sends more than %zu MB",
            (t->n_header_bytes > MAX_HEADER_BYTES ? MAX_HEADER_BYTES
             : t->n_written                       ? MAX_FILE_BYTES
                                                  : MAX_BYTES) >>
                20);
    else if (t->save_errno)
        (void)cp_error_set(&t->fetch->err, CP_EIO,
                           "cannot write the fetched file: %s",
                           strerror(t->save_errno));
    else if (result == CURLE_OPERATION_TIMEDOUT)
        note_timeout(t);
    else if (result != CURLE_OK)
        note_problem(t, result);
    else if (code != 200)
        refuse(t, code);
    if (t->fetch->err.status != CP_OK)
        cp_bytes_release(&t->fetch->body);
}

static void remove_handle(struct cp_transfer *t, CURLM *multi)
{
    (void)t->curl->multi_remove_handle(multi, t->handle);
    t->curl->easy_cleanup(t->handle);
    t->handle = NULL;
}

void cp_transfer_finish(struct cp_transfer *t, CURLM *multi, CURLcode result)
{
    note_result(t, result);
    remove_handle(t, multi);
}

void cp_transfer_cancel(struct cp_transfer *t, CURLM *multi)
{
    remove_handle(t, multi);
    cp_bytes_release(&t->fetch->body);
    (void)cp_error_set(&t->fetch->err, CP_EIO, "interrupted");
}

bool cp_transfer_half_close(struct cp_transfer *t)
{
    curl_off_t asked = 0;
    bool is_told = false;

    t->is_half_closed = true;
    if (t->fetch->body.len > 0)
        return true; /* the reply is on its way */
    (void)t->curl->easy_getinfo(t->handle, CURLINFO_PRETRANSFER_TIME_T, &asked);
    if (t->url.expected == 0 || asked == 0)
        return false;
    for (size_t i = 0; i < t->n_sockets; i++)
        is_told |= shutdown(t->sockets[i], SHUT_WR) == 0;
    return is_told;
}

void cp_transfer_release(struct cp_transfer *t)
{
    cp_arena_release(&t->arena);
}
