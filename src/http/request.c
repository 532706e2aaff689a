/*
 * request.c - the callbacks of http-parser, and access to the stored parts.
 *
 * The head is one text: the target, then name and value of each header, each
 * part ended by NUL. http-parser delivers parts in order and in pieces, so a
 * part grows only at the end of the text.
 */
#include "http/request.h"

#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/assert/assert.h"
#include "base/hex.h"
#include "http/limits.h"

bool cp_http_text_add(struct cp_http_text *t, const char *bytes, size_t len)
{
    if (cp_reserve(&t->bytes, &t->cap, t->len + len + 1, 1, NULL) != CP_OK)
        return false;
    if (len)
        memcpy(t->bytes + t->len, bytes, len);
    t->len += len;
    CP_ASSERT(t->len < t->cap);
    t->bytes[t->len] = '\0';
    return true;
}

void cp_http_text_release(struct cp_http_text *t)
{
    cp_free(t->bytes);
    *t = (struct cp_http_text){ 0 };
}

void cp_http_request_release(struct cp_http_request *r)
{
    cp_http_text_release(&r->head);
    cp_http_text_release(&r->body);
    cp_free(r->headers);
    r->headers = NULL;
}

void cp_http_request_reset(struct cp_http_request *r,
                           const struct cp_http_limits *limits)
{
    cp_http_request_release(r);
    *r = (struct cp_http_request){ .limits = limits };
    http_parser_init(&r->parser, HTTP_REQUEST);
    r->parser.data = r;
}

/* Sets the error status. Returns 1, which tells http-parser to stop. */
static int fail(struct cp_http_request *r, int status)
{
    r->has_failed = true;
    r->status = status;
    return 1;
}

/* Appends to the head, within its limit. */
static int append(struct cp_http_request *r, const char *bytes, size_t len)
{
    if (r->head.len + len + 1 > r->limits->header_bytes)
        return fail(r, r->n_headers ? 431 : 414);
    return cp_http_text_add(&r->head, bytes, len) ? 0 : fail(r, 503);
}

static int on_url(http_parser *parser, const char *at, size_t len)
{
    return append(parser->data, at, len);
}

/* Starts a header: its name begins after the NUL of the previous part. */
static int open_header(struct cp_http_request *r)
{
    if (r->n_headers == r->limits->n_headers)
        return fail(r, 431);
    if (!r->headers)
        r->headers = cp_alloc(r->limits->n_headers, sizeof(*r->headers), NULL);
    if (!r->headers)
        return fail(r, 503);
    if (append(r, "", 1))
        return 1;
    CP_ASSERT(r->n_headers < r->limits->n_headers);
    r->headers[r->n_headers++].name = (uint32_t)r->head.len;
    r->is_value = false;
    return 0;
}

/*
 * The characters of a header name. http-parser also accepts spaces, but a proxy
 * may read "Content-Length : 3" as a different header (request smuggling).
 */
static bool is_token(const char *at, size_t len)
{
    static const char signs[] = "!#$%&'*+-.^_`|~";

    for (size_t i = 0; i < len; i++) {
        char c = at[i], low = (char)(c | 0x20);

        if (!(low >= 'a' && low <= 'z') && !(c >= '0' && c <= '9') &&
            (c == '\0' || !strchr(signs, c)))
            return false;
    }
    return true;
}

static int on_field(http_parser *parser, const char *at, size_t len)
{
    struct cp_http_request *r = parser->data;

    if (!is_token(at, len))
        return fail(r, 400);
    if (r->has_headers)
        return 0; /* trailers are ignored */
    if ((r->n_headers == 0 || r->is_value) && open_header(r))
        return 1;
    return append(r, at, len);
}

static int on_value(http_parser *parser, const char *at, size_t len)
{
    struct cp_http_request *r = parser->data;

    if (r->has_headers)
        return 0;
    if (!r->is_value) {
        if (append(r, "", 1))
            return 1;
        CP_ASSERT(r->n_headers > 0);
        r->headers[r->n_headers - 1].value = (uint32_t)r->head.len;
        r->is_value = true;
    }
    return append(r, at, len);
}

static int digit(char c)
{
    return cp_hex_digit((unsigned char)c);
}

/*
 * Decodes %xx (and '+' in a query) into `to`, which may be `from`, up to `room`
 * bytes. Returns the decoded length, or SIZE_MAX for an invalid escape.
 */
static size_t decode(const char *from, size_t len, char *to, size_t room,
                     bool is_query)
{
    size_t n = 0;

    for (size_t i = 0; i < len && n < room; i++) {
        char c = from[i];

        if (c == '%') {
            if (len - i < 3 || digit(from[i + 1]) < 0 || digit(from[i + 2]) < 0)
                return SIZE_MAX;
            c = (char)(digit(from[i + 1]) << 4 | digit(from[i + 2]));
            i += 2;
        } else if (c == '+' && is_query) {
            c = ' ';
        }
        to[n++] = c;
    }
    CP_ASSERT(n <= room);
    return n;
}

/* Splits the target in place: path, NUL, query, NUL. */
static int split_target(struct cp_http_request *r)
{
    struct http_parser_url url;
    size_t len = strlen(r->head.bytes), at, n;
    char *target = r->head.bytes;

    http_parser_url_init(&url);
    if (http_parser_parse_url(target, len, r->parser.method == HTTP_CONNECT,
                              &url) ||
        !(url.field_set & 1 << UF_PATH))
        return fail(r, 400);
    at = url.field_data[UF_PATH].off;
    n = url.field_data[UF_PATH].len;
    n = decode(target + at, n, target + at, n, false);
    r->query = (uint32_t)len;
    if (url.field_set & 1 << UF_QUERY) {
        r->query = url.field_data[UF_QUERY].off;
        target[r->query + url.field_data[UF_QUERY].len] = '\0';
    }
    if (n == SIZE_MAX || memchr(target + at, '\0', n) ||
        strstr(target + r->query, "%00"))
        return fail(r, 400); /* a NUL would truncate the path */
    CP_ASSERT(at + n <= len && r->query <= len);
    r->path = (uint32_t)at;
    target[at + n] = '\0';
    return 0;
}

/*
 * Whether the Host header is acceptable: HTTP/1.1 requires exactly one; several
 * are an attack.
 */
static bool has_host(const struct cp_http_request *r)
{
    size_t n = 0;

    for (uint32_t i = 0; i < r->n_headers; i++)
        n += strcasecmp(r->head.bytes + r->headers[i].name, "Host") == 0;
    return n == 1 || (n == 0 && r->parser.http_minor == 0);
}

static int on_headers(http_parser *parser)
{
    struct cp_http_request *r = parser->data;

    r->has_headers = true;
    if (parser->http_major != 1 || !has_host(r)) {
        (void)fail(r, parser->http_major != 1 ? 505 : 400);
        return -1;
    }
    if (parser->content_length != UINT64_MAX &&
        parser->content_length > r->limits->body_bytes) {
        (void)fail(r, 413);
        return -1;
    }
    parser->upgrade = 0;             /* never switch protocols */
    return split_target(r) ? -1 : 0; /* 1 means "no body" to http-parser */
}

static int on_body(http_parser *parser, const char *at, size_t len)
{
    struct cp_http_request *r = parser->data;

    if (r->body.len + len > r->limits->body_bytes)
        return fail(r, 413);
    return cp_http_text_add(&r->body, at, len) ? 0 : fail(r, 503);
}

static int on_complete(http_parser *parser)
{
    struct cp_http_request *r = parser->data;

    r->is_complete = true;
    http_parser_pause(parser, 1);
    return 0;
}

size_t cp_http_request_feed(struct cp_http_request *r, const char *bytes,
                            size_t len)
{
    static const http_parser_settings settings = {
        .on_url = on_url,
        .on_header_field = on_field,
        .on_header_value = on_value,
        .on_headers_complete = on_headers,
        .on_body = on_body,
        .on_message_complete = on_complete,
    };
    size_t taken;

    if (r->is_complete || r->status)
        return 0;
    taken = http_parser_execute(&r->parser, &settings, bytes, len);
    if (r->is_complete)
        return taken;
    if (HTTP_PARSER_ERRNO(&r->parser) == HPE_HEADER_OVERFLOW)
        (void)fail(r, 431);
    else if (HTTP_PARSER_ERRNO(&r->parser) != HPE_OK && !r->has_failed)
        (void)fail(r, 400);
    return taken;
}

const char *cp_http_request_method(const struct cp_http_request *r)
{
    return http_method_str((enum http_method)r->parser.method);
}

bool cp_http_request_is(const struct cp_http_request *r, const char *method)
{
    return strcmp(cp_http_request_method(r), method) == 0;
}

const char *cp_http_request_path(const struct cp_http_request *r)
{
    return r->head.bytes + r->path;
}

const char *cp_http_request_query(const struct cp_http_request *r)
{
    return r->head.bytes + r->query;
}

const char *cp_http_request_header(const struct cp_http_request *r,
                                   const char *name)
{
    for (uint32_t i = 0; i < r->n_headers; i++)
        if (strcasecmp(r->head.bytes + r->headers[i].name, name) == 0)
            return r->head.bytes + r->headers[i].value;
    return NULL;
}

/* Whether the len bytes, decoded, are `name`. */
static bool is_named(const char *bytes, size_t len, const char *name)
{
    char plain[64];
    size_t n;

    if (len >= sizeof(plain))
        return false;
    n = decode(bytes, len, plain, sizeof(plain), true);
    return n == strlen(name) && memcmp(plain, name, n) == 0;
}

/* Copies a value, decoded and truncated to cap. */
static bool copy_value(const char *from, size_t len, char *out, size_t cap)
{
    size_t n = decode(from, len, out, cap - 1, true);

    out[n == SIZE_MAX ? 0 : n] = '\0';
    return n != SIZE_MAX;
}

/* Finds the first value of a name in "name=value&name=value". */
static bool find_value(const char *at, const char *name, char *out, size_t cap)
{
    out[0] = '\0';
    while (*at) {
        size_t len = strcspn(at, "&");
        const char *equals = memchr(at, '=', len);
        size_t name_len = equals ? (size_t)(equals - at) : len;

        if (is_named(at, name_len, name) && !memchr(at, ';', len))
            return equals ? copy_value(equals + 1, len - name_len - 1, out, cap)
                          : true;
        at += len + (at[len] == '&');
    }
    return false;
}

bool cp_http_request_param(const struct cp_http_request *r, const char *name,
                           char *out, size_t cap)
{
    return find_value(cp_http_request_query(r), name, out, cap);
}

bool cp_http_request_form(const struct cp_http_request *r, const char *name,
                          char *out, size_t cap)
{
    return find_value(r->body.bytes ? r->body.bytes : "", name, out, cap);
}

bool cp_http_request_expects_continue(const struct cp_http_request *r)
{
    const char *expect;

    if (!r->has_headers || r->is_complete || r->body.len > 0)
        return false;
    expect = cp_http_request_header(r, "Expect");
    return expect && strcasecmp(expect, "100-continue") == 0;
}
