/*
 * demangle_rust.c - see demangle_rust.h.
 *
 * A name is a path in prefix notation, one letter for each construct:
 *
 *   path   C ident | M impl type | X impl type path | Y type path
 *          | N space path ident | I path arg... E | B number
 *   type   one lower-case letter | path | A type const | S type | T type... E
 *          | R [life] type | Q [life] type | P type | O type | F signature
 *          | D [binder] bound... E life | B number
 *   arg    L number | K const | type
 *   ident  [s number] [u] length [_] bytes
 *   number digits of base 62, closed by _; no digits are 0, else value + 1
 *
 * B refers back to an earlier position; lifetimes count outwards from the
 * innermost binder G.
 */
#include "symbol/demangle_rust.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MOST_STEPS 100000
#define MOST_DEPTH 200
#define MOST_LIFETIMES 26 /* those that have a letter */

struct reader {
    const char *begin, *at, *end;
    cp_demangle_sink *sink;
    void *context;
    bool has_failed, is_silent;
    int n_steps, depth;
    uint64_t n_lifetimes; /* that binders have introduced */
};

struct ident {
    const char *text;
    size_t len;
    bool is_punycode;
    uint64_t number; /* what tells it from others of that name */
};

static void read_path(struct reader *r, bool in_value);
static void read_type(struct reader *r);
static void read_const(struct reader *r);

static void put(struct reader *r, const char *text, size_t len)
{
    if (!r->has_failed && !r->is_silent)
        r->sink(text, len, r->context);
}

static void print(struct reader *r, const char *text)
{
    put(r, text, strlen(text));
}

static void print_number(struct reader *r, uint64_t number)
{
    char text[24];

    put(r, text, (size_t)snprintf(text, sizeof(text), "%" PRIu64, number));
}

static char peek(const struct reader *r)
{
    return r->has_failed || r->at == r->end ? '\0' : *r->at;
}

static bool take(struct reader *r, char c)
{
    if (peek(r) != c || c == '\0')
        return false;
    r->at++;
    return true;
}

static char next(struct reader *r)
{
    char c = peek(r);

    if (c == '\0')
        r->has_failed = true;
    else
        r->at++;
    return c;
}

/* Begins a construct; false if there have been too many. */
static bool enter(struct reader *r)
{
    if (r->n_steps++ > MOST_STEPS || r->depth >= MOST_DEPTH)
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

static uint64_t read_number(struct reader *r)
{
    uint64_t value = 0;

    if (take(r, '_'))
        return 0;
    while (!take(r, '_')) {
        int digit = digit62(next(r));

        if (digit < 0 || value > (UINT64_MAX - 63) / 62)
            r->has_failed = true;
        if (r->has_failed)
            return 0;
        value = value * 62 + (uint64_t)digit;
    }
    return value + 1;
}

/* A number behind a letter that may be missing: then 0, else from 1. */
static uint64_t read_optional(struct reader *r, char letter)
{
    return take(r, letter) ? read_number(r) + 1 : 0;
}

static struct ident read_plain_ident(struct reader *r)
{
    struct ident id = { .is_punycode = take(r, 'u') };
    size_t len = 0;

    if (!isdigit((unsigned char)peek(r)))
        r->has_failed = true;
    if (!take(r, '0'))
        while (isdigit((unsigned char)peek(r)) && len < (size_t)1 << 20)
            len = len * 10 + (size_t)(next(r) - '0');
    (void)take(r, '_');
    if (r->has_failed || len > (size_t)(r->end - r->at)) {
        r->has_failed = true;
        return id;
    }
    id.text = r->at;
    id.len = len;
    r->at += len;
    return id;
}

static struct ident read_ident(struct reader *r)
{
    uint64_t number = read_optional(r, 's');
    struct ident id = read_plain_ident(r);

    id.number = number;
    return id;
}

static void print_ident(struct reader *r, const struct ident *id)
{
    if (id->is_punycode)
        print(r, "punycode{");
    put(r, id->text ? id->text : "", id->len);
    if (id->is_punycode)
        print(r, "}");
}

/* Reads what stands at an earlier place, once more. */
static void read_backref(struct reader *r, void (*read)(struct reader *r))
{
    const char *from = r->at - 1, *after;
    uint64_t place = read_number(r);

    if (r->has_failed || place >= (uint64_t)(from - r->begin)) {
        r->has_failed = true;
        return;
    }
    if (r->is_silent)
        return;
    after = r->at;
    r->at = r->begin + place;
    read(r);
    r->at = after;
}

static void print_lifetime(struct reader *r, uint64_t index)
{
    uint64_t depth = r->n_lifetimes - index;
    char text[2] = { '\0' };

    print(r, "'");
    if (index == 0) {
        print(r, "_");
    } else if (index > r->n_lifetimes) {
        r->has_failed = true;
    } else if (depth < MOST_LIFETIMES) {
        text[0] = (char)('a' + depth);
        print(r, text);
    } else {
        print(r, "_");
        print_number(r, depth);
    }
}

/* Reads a binder; returns how many lifetimes it introduced. */
static uint64_t open_binder(struct reader *r)
{
    uint64_t n = read_optional(r, 'G');

    if (n > MOST_LIFETIMES * 8)
        r->has_failed = true;
    if (n == 0 || r->has_failed)
        return 0;
    print(r, "for<");
    for (uint64_t i = 0; i < n; i++) {
        print(r, i ? ", " : "");
        r->n_lifetimes++;
        print_lifetime(r, 1);
    }
    print(r, "> ");
    return n;
}

static void read_arg(struct reader *r)
{
    if (take(r, 'L'))
        print_lifetime(r, read_number(r));
    else if (take(r, 'K'))
        read_const(r);
    else
        read_type(r);
}

/* Reads arguments up to E, with commas; returns how many. */
static size_t read_list(struct reader *r, void (*read)(struct reader *r))
{
    size_t n = 0;

    for (; !r->has_failed && !take(r, 'E'); n++) {
        if (n > 0)
            print(r, ", ");
        read(r);
    }
    return n;
}

/* The path of an impl block, which is not shown. */
static void skip_impl_path(struct reader *r)
{
    bool was_silent = r->is_silent;

    r->is_silent = true;
    (void)read_optional(r, 's');
    read_path(r, false);
    r->is_silent = was_silent;
}

static void read_nested(struct reader *r, bool in_value)
{
    char space = next(r);
    struct ident id;

    if (!isalpha((unsigned char)space))
        r->has_failed = true;
    read_path(r, in_value);
    id = read_ident(r);
    if (islower((unsigned char)space)) {
        if (id.len > 0) {
            print(r, "::");
            print_ident(r, &id);
        }
        return;
    }
    print(r, "::{");
    if (space == 'C' || space == 'S')
        print(r, space == 'C' ? "closure" : "shim");
    else
        put(r, &space, 1);
    if (id.len > 0) {
        print(r, ":");
        print_ident(r, &id);
    }
    print(r, "#");
    print_number(r, id.number);
    print(r, "}");
}

/* <type> or <type as trait>. */
static void read_qualified(struct reader *r, char tag)
{
    if (tag != 'Y')
        skip_impl_path(r);
    print(r, "<");
    read_type(r);
    if (tag != 'M') {
        print(r, " as ");
        read_path(r, false);
    }
    print(r, ">");
}

static void read_type_path(struct reader *r)
{
    read_path(r, false);
}

static void read_value_path(struct reader *r)
{
    read_path(r, true);
}

static void read_path(struct reader *r, bool in_value)
{
    char tag = next(r);
    struct ident id;

    if (!enter(r))
        return;
    switch (tag) {
    case 'C':
        id = read_ident(r);
        print_ident(r, &id);
        break;
    case 'N':
        read_nested(r, in_value);
        break;
    case 'M':
    case 'X':
    case 'Y':
        read_qualified(r, tag);
        break;
    case 'I':
        read_path(r, in_value);
        print(r, in_value ? "::<" : "<");
        (void)read_list(r, read_arg);
        print(r, ">");
        break;
    case 'B':
        read_backref(r, in_value ? read_value_path : read_type_path);
        break;
    default:
        r->has_failed = true;
    }
    r->depth--;
}

static const char *basic_type(char c)
{
    static const char *const types[26] = {
        "i8",    "bool", "char", "f64", "str",  "f32",  NULL,  "u8", "isize",
        "usize", NULL,   "i32",  "u32", "i128", "u128", "_",   NULL, NULL,
        "i16",   "u16",  "()",   "...", NULL,   "i64",  "u64", "!",
    };

    return c >= 'a' && c <= 'z' ? types[c - 'a'] : NULL;
}

static void read_signature(struct reader *r)
{
    uint64_t n = open_binder(r);
    struct ident abi;

    if (take(r, 'U'))
        print(r, "unsafe ");
    if (take(r, 'K')) {
        print(r, "extern \"");
        if (take(r, 'C')) {
            print(r, "C");
        } else {
            abi = read_plain_ident(r);
            for (size_t i = 0; i < abi.len; i++)
                put(r, abi.text[i] == '_' ? "-" : abi.text + i, 1);
        }
        print(r, "\" ");
    }
    print(r, "fn(");
    (void)read_list(r, read_type);
    print(r, ")");
    if (!take(r, 'u')) {
        print(r, " -> ");
        read_type(r);
    }
    r->n_lifetimes -= n;
}

/* A path whose generic arguments stay open; returns whether they do. */
static bool read_open_path(struct reader *r)
{
    const char *from = r->at, *after;
    bool is_open = false;
    uint64_t place;

    if (take(r, 'I')) {
        read_path(r, false);
        print(r, "<");
        (void)read_list(r, read_arg);
        return true;
    }
    if (!take(r, 'B')) {
        read_path(r, false);
        return false;
    }
    place = read_number(r);
    if (!enter(r) || place >= (uint64_t)(from - r->begin)) {
        r->has_failed = true;
    } else if (!r->is_silent) {
        after = r->at;
        r->at = r->begin + place;
        is_open = read_open_path(r);
        r->at = after;
    }
    r->depth--;
    return is_open;
}

/* A trait of dyn, with the types it is bound to: Fn<(u8,), Output = u8>. */
static void read_bound(struct reader *r)
{
    bool is_open = read_open_path(r);

    while (take(r, 'p')) {
        struct ident id;

        print(r, is_open ? ", " : "<");
        is_open = true;
        id = read_plain_ident(r);
        print_ident(r, &id);
        print(r, " = ");
        read_type(r);
    }
    if (is_open)
        print(r, ">");
}

static void read_dyn(struct reader *r)
{
    uint64_t n, lifetime;
    size_t i = 0;

    print(r, "dyn ");
    n = open_binder(r);
    for (; !r->has_failed && !take(r, 'E'); i++) {
        if (i > 0)
            print(r, " + ");
        read_bound(r);
    }
    r->n_lifetimes -= n;
    if (!take(r, 'L'))
        r->has_failed = true;
    lifetime = read_number(r);
    if (lifetime > 0) {
        print(r, " + ");
        print_lifetime(r, lifetime);
    }
}

static void read_reference(struct reader *r, bool is_mutable)
{
    print(r, "&");
    if (take(r, 'L')) {
        uint64_t lifetime = read_number(r);

        if (lifetime > 0) {
            print_lifetime(r, lifetime);
            print(r, " ");
        }
    }
    if (is_mutable)
        print(r, "mut ");
    read_type(r);
}

static void read_array(struct reader *r, bool has_length)
{
    print(r, "[");
    read_type(r);
    if (has_length) {
        print(r, "; ");
        read_const(r);
    }
    print(r, "]");
}

static void read_tuple(struct reader *r)
{
    print(r, "(");
    if (read_list(r, read_type) == 1)
        print(r, ",");
    print(r, ")");
}

/* The types that are made of others; false if it is none of these. */
static bool read_compound(struct reader *r, char tag)
{
    switch (tag) {
    case 'A':
    case 'S':
        read_array(r, tag == 'A');
        return true;
    case 'T':
        read_tuple(r);
        return true;
    case 'R':
    case 'Q':
        read_reference(r, tag == 'Q');
        return true;
    case 'P':
    case 'O':
        print(r, tag == 'P' ? "*const " : "*mut ");
        read_type(r);
        return true;
    case 'F':
        read_signature(r);
        return true;
    case 'D':
        read_dyn(r);
        return true;
    case 'B':
        read_backref(r, read_type);
        return true;
    default:
        return false;
    }
}

static void read_type(struct reader *r)
{
    char tag = next(r);

    if (!enter(r))
        return;
    if (basic_type(tag)) {
        print(r, basic_type(tag));
    } else if (!read_compound(r, tag)) {
        r->at -= !r->has_failed;
        read_path(r, false);
    }
    r->depth--;
}

/* Digits of base 16 up to _; their value where it fits. */
static bool read_hex(struct reader *r, uint64_t *out, const char **text,
                     size_t *len)
{
    *out = 0;
    *text = r->at;
    while (!take(r, '_')) {
        char c = next(r);

        if (!isxdigit((unsigned char)c) || isupper((unsigned char)c))
            r->has_failed = true;
        if (r->has_failed)
            return false;
        *out = *out << 4 |
               (uint64_t)(isdigit((unsigned char)c) ? c - '0' : c - 'a' + 10);
    }
    *len = (size_t)(r->at - 1 - *text);
    return *len <= 16;
}

static void print_char(struct reader *r, uint64_t value)
{
    char text[16];

    if (value >= 0x20 && value < 0x7f && value != '\'' && value != '\\')
        (void)snprintf(text, sizeof(text), "'%c'", (char)value);
    else
        (void)snprintf(text, sizeof(text), "'\\u{%x}'", (unsigned)value);
    print(r, text);
}

static void read_const(struct reader *r)
{
    char tag = next(r);
    const char *text;
    uint64_t value;
    size_t len = 0;

    if (!enter(r))
        return;
    if (tag == 'B') {
        read_backref(r, read_const);
    } else if (tag == 'p') {
        print(r, "_");
    } else if (!strchr("hmyotjaslxnibc", tag)) {
        r->has_failed = true;
    } else {
        if (strchr("aslxni", tag) && take(r, 'n'))
            print(r, "-");
        if (!read_hex(r, &value, &text, &len)) {
            print(r, "0x");
            put(r, text, r->has_failed ? 0 : len);
        } else if (tag == 'b') {
            print(r, value ? "true" : "false");
        } else if (tag == 'c') {
            print_char(r, value);
        } else {
            print_number(r, value);
        }
    }
    r->depth--;
}

bool cp_demangle_rust(const char *name, cp_demangle_sink *sink, void *context)
{
    struct reader r = { .sink = sink, .context = context };
    size_t len = strcspn(name, ".$"); /* a suffix is of no interest */

    if (len < 3 || name[0] != '_' || name[1] != 'R' ||
        !isupper((unsigned char)name[2]))
        return false;
    r.begin = r.at = name + 2;
    r.end = name + len;
    read_path(&r, true);
    if (peek(&r)) { /* the crate that made this copy */
        r.is_silent = true;
        read_path(&r, false);
    }
    return !r.has_failed && r.at == r.end;
}
