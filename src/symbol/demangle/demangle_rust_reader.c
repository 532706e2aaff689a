/* demangle_rust_reader.c - parses identifiers, numbers and lifetimes. */
#include "symbol/demangle/demangle_rust_reader.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_STEPS 100000
#define MAX_DEPTH 200
#define LETTERS 26                  /* lifetimes with a one-letter name */
#define MAX_LIFETIMES (LETTERS * 8) /* maximum lifetimes of one binder */
#define MAX_IDENT ((size_t)1 << 20)

void cp_rust_put(struct cp_rust_reader *r, const char *text, size_t len)
{
    if (!r->has_failed && !r->is_silent)
        r->sink(text, len, r->context);
}

void cp_rust_print(struct cp_rust_reader *r, const char *text)
{
    cp_rust_put(r, text, strlen(text));
}

void cp_rust_print_number(struct cp_rust_reader *r, uint64_t number)
{
    char text[24];

    cp_rust_put(r, text,
                (size_t)snprintf(text, sizeof(text), "%" PRIu64, number));
}

char cp_rust_peek(const struct cp_rust_reader *r)
{
    return r->has_failed || r->at == r->end ? '\0' : *r->at;
}

bool cp_rust_accept(struct cp_rust_reader *r, char c)
{
    if (cp_rust_peek(r) != c || c == '\0')
        return false;
    r->at++;
    return true;
}

char cp_rust_next(struct cp_rust_reader *r)
{
    char c = cp_rust_peek(r);

    if (c == '\0')
        r->has_failed = true;
    else
        r->at++;
    return c;
}

bool cp_rust_enter(struct cp_rust_reader *r)
{
    if (r->n_steps++ > MAX_STEPS || r->depth >= MAX_DEPTH)
        r->has_failed = true;
    r->depth++;
    return !r->has_failed;
}

static int digit62(char c)
{
    if (isdigit((unsigned char)c))
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 36;
    return -1;
}

uint64_t cp_rust_read_number(struct cp_rust_reader *r)
{
    uint64_t value = 0;

    if (cp_rust_accept(r, '_'))
        return 0;
    while (!cp_rust_accept(r, '_')) {
        int digit = digit62(cp_rust_next(r));

        if (digit < 0 || value > (UINT64_MAX - 63) / 62)
            r->has_failed = true;
        if (r->has_failed)
            return 0;
        value = value * 62 + (uint64_t)digit;
    }
    return value + 1;
}

uint64_t cp_rust_read_optional(struct cp_rust_reader *r, char letter)
{
    return cp_rust_accept(r, letter) ? cp_rust_read_number(r) + 1 : 0;
}

struct cp_rust_ident cp_rust_read_plain_ident(struct cp_rust_reader *r)
{
    struct cp_rust_ident id = { .is_punycode = cp_rust_accept(r, 'u') };
    size_t len = 0;

    if (!isdigit((unsigned char)cp_rust_peek(r)))
        r->has_failed = true;
    if (!cp_rust_accept(r, '0'))
        while (isdigit((unsigned char)cp_rust_peek(r)) && len < MAX_IDENT)
            len = len * 10 + (size_t)(cp_rust_next(r) - '0');
    (void)cp_rust_accept(r, '_');
    if (r->has_failed || len > (size_t)(r->end - r->at)) {
        r->has_failed = true;
        return id;
    }
    id.text = r->at;
    id.len = len;
    r->at += len;
    return id;
}

struct cp_rust_ident cp_rust_read_ident(struct cp_rust_reader *r)
{
    uint64_t number = cp_rust_read_optional(r, 's');
    struct cp_rust_ident id = cp_rust_read_plain_ident(r);

    id.number = number;
    return id;
}

void cp_rust_print_ident(struct cp_rust_reader *r,
                         const struct cp_rust_ident *id)
{
    if (id->is_punycode)
        cp_rust_print(r, "punycode{");
    cp_rust_put(r, id->text ? id->text : "", id->len);
    if (id->is_punycode)
        cp_rust_print(r, "}");
}

void cp_rust_print_lifetime(struct cp_rust_reader *r, uint64_t index)
{
    uint64_t depth = r->n_lifetimes - index;
    char text[2] = { '\0' };

    cp_rust_print(r, "'");
    if (index == 0) {
        cp_rust_print(r, "_");
    } else if (index > r->n_lifetimes) {
        r->has_failed = true;
    } else if (depth < LETTERS) {
        text[0] = (char)('a' + depth);
        cp_rust_print(r, text);
    } else {
        cp_rust_print(r, "_");
        cp_rust_print_number(r, depth);
    }
}

uint64_t cp_rust_open_binder(struct cp_rust_reader *r)
{
    uint64_t n = cp_rust_read_optional(r, 'G');

    if (n > MAX_LIFETIMES)
        r->has_failed = true;
    if (n == 0 || r->has_failed)
        return 0;
    cp_rust_print(r, "for<");
    for (uint64_t i = 0; i < n; i++) {
        cp_rust_print(r, i ? ", " : "");
        r->n_lifetimes++;
        cp_rust_print_lifetime(r, 1);
    }
    cp_rust_print(r, "> ");
    return n;
}
