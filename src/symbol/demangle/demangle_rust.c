/*
 * demangle_rust.c - demangles Rust's v0 names: paths, types and constants.
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
 *   number [base-62 digit...] _; only _ is 0, otherwise the value + 1
 *
 * B refers back to an earlier position. Lifetimes are numbered outwards from
 * the innermost binder G. demangle_rust_reader.c reads the terminals.
 */
#include "symbol/demangle/demangle_rust.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "symbol/demangle/demangle_rust_reader.h"

static void read_path(struct cp_rust_reader *r, bool in_value);
static void read_type(struct cp_rust_reader *r);
static void read_const(struct cp_rust_reader *r);

/* Parses the construct at an earlier position again. */
static void read_backref(struct cp_rust_reader *r,
                         void (*read)(struct cp_rust_reader *r))
{
    const char *from = r->at - 1, *after;
    uint64_t place = cp_rust_read_number(r);

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

static void read_arg(struct cp_rust_reader *r)
{
    if (cp_rust_accept(r, 'L'))
        cp_rust_print_lifetime(r, cp_rust_read_number(r));
    else if (cp_rust_accept(r, 'K'))
        read_const(r);
    else
        read_type(r);
}

/*
 * Parses arguments up to E and prints commas between them; returns their
 * number.
 */
static size_t read_list(struct cp_rust_reader *r,
                        void (*read)(struct cp_rust_reader *r))
{
    size_t n = 0;

    for (; !r->has_failed && !cp_rust_accept(r, 'E'); n++) {
        if (n > 0)
            cp_rust_print(r, ", ");
        read(r);
    }
    return n;
}

/* Parses the path of an impl block without printing it. */
static void skip_impl_path(struct cp_rust_reader *r)
{
    bool was_silent = r->is_silent;

    r->is_silent = true;
    (void)cp_rust_read_optional(r, 's');
    read_path(r, false);
    r->is_silent = was_silent;
}

static void read_nested(struct cp_rust_reader *r, bool in_value)
{
    char space = cp_rust_next(r);
    struct cp_rust_ident id;

    if (!isalpha((unsigned char)space))
        r->has_failed = true;
    read_path(r, in_value);
    id = cp_rust_read_ident(r);
    if (islower((unsigned char)space)) {
        if (id.len > 0) {
            cp_rust_print(r, "::");
            cp_rust_print_ident(r, &id);
        }
        return;
    }
    cp_rust_print(r, "::{");
    if (space == 'C' || space == 'S')
        cp_rust_print(r, space == 'C' ? "closure" : "shim");
    else
        cp_rust_put(r, &space, 1);
    if (id.len > 0) {
        cp_rust_print(r, ":");
        cp_rust_print_ident(r, &id);
    }
    cp_rust_print(r, "#");
    cp_rust_print_number(r, id.number);
    cp_rust_print(r, "}");
}

/* Parses <type> or <type as trait>. */
static void read_qualified(struct cp_rust_reader *r, char tag)
{
    if (tag != 'Y')
        skip_impl_path(r);
    cp_rust_print(r, "<");
    read_type(r);
    if (tag != 'M') {
        cp_rust_print(r, " as ");
        read_path(r, false);
    }
    cp_rust_print(r, ">");
}

static void read_type_path(struct cp_rust_reader *r)
{
    read_path(r, false);
}

static void read_value_path(struct cp_rust_reader *r)
{
    read_path(r, true);
}

static void read_path(struct cp_rust_reader *r, bool in_value)
{
    char tag = cp_rust_next(r);
    struct cp_rust_ident id;

    if (!cp_rust_enter(r))
        return;
    switch (tag) {
    case 'C':
        id = cp_rust_read_ident(r);
        cp_rust_print_ident(r, &id);
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
        cp_rust_print(r, in_value ? "::<" : "<");
        (void)read_list(r, read_arg);
        cp_rust_print(r, ">");
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

static void read_signature(struct cp_rust_reader *r)
{
    uint64_t n = cp_rust_open_binder(r);
    struct cp_rust_ident abi;

    if (cp_rust_accept(r, 'U'))
        cp_rust_print(r, "unsafe ");
    if (cp_rust_accept(r, 'K')) {
        cp_rust_print(r, "extern \"");
        if (cp_rust_accept(r, 'C')) {
            cp_rust_print(r, "C");
        } else {
            abi = cp_rust_read_plain_ident(r);
            for (size_t i = 0; i < abi.len; i++)
                cp_rust_put(r, abi.text[i] == '_' ? "-" : abi.text + i, 1);
        }
        cp_rust_print(r, "\" ");
    }
    cp_rust_print(r, "fn(");
    (void)read_list(r, read_type);
    cp_rust_print(r, ")");
    if (!cp_rust_accept(r, 'u')) {
        cp_rust_print(r, " -> ");
        read_type(r);
    }
    r->n_lifetimes -= n;
}

/*
 * Parses a path and leaves its generic arguments open; returns whether it has
 * any.
 */
static bool read_open_path(struct cp_rust_reader *r)
{
    const char *from = r->at, *after;
    bool is_open = false;
    uint64_t place;

    if (cp_rust_accept(r, 'I')) {
        read_path(r, false);
        cp_rust_print(r, "<");
        (void)read_list(r, read_arg);
        return true;
    }
    if (!cp_rust_accept(r, 'B')) {
        read_path(r, false);
        return false;
    }
    place = cp_rust_read_number(r);
    if (!cp_rust_enter(r) || place >= (uint64_t)(from - r->begin)) {
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

/* Parses a trait of dyn with its associated types: Fn<(u8,), Output = u8>. */
static void read_bound(struct cp_rust_reader *r)
{
    bool is_open = read_open_path(r);

    while (cp_rust_accept(r, 'p')) {
        struct cp_rust_ident id;

        cp_rust_print(r, is_open ? ", " : "<");
        is_open = true;
        id = cp_rust_read_plain_ident(r);
        cp_rust_print_ident(r, &id);
        cp_rust_print(r, " = ");
        read_type(r);
    }
    if (is_open)
        cp_rust_print(r, ">");
}

static void read_dyn(struct cp_rust_reader *r)
{
    uint64_t n, lifetime;
    size_t i = 0;

    cp_rust_print(r, "dyn ");
    n = cp_rust_open_binder(r);
    for (; !r->has_failed && !cp_rust_accept(r, 'E'); i++) {
        if (i > 0)
            cp_rust_print(r, " + ");
        read_bound(r);
    }
    r->n_lifetimes -= n;
    if (!cp_rust_accept(r, 'L'))
        r->has_failed = true;
    lifetime = cp_rust_read_number(r);
    if (lifetime > 0) {
        cp_rust_print(r, " + ");
        cp_rust_print_lifetime(r, lifetime);
    }
}

static void read_reference(struct cp_rust_reader *r, bool is_mutable)
{
    cp_rust_print(r, "&");
    if (cp_rust_accept(r, 'L')) {
        uint64_t lifetime = cp_rust_read_number(r);

        if (lifetime > 0) {
            cp_rust_print_lifetime(r, lifetime);
            cp_rust_print(r, " ");
        }
    }
    if (is_mutable)
        cp_rust_print(r, "mut ");
    read_type(r);
}

static void read_array(struct cp_rust_reader *r, bool has_length)
{
    cp_rust_print(r, "[");
    read_type(r);
    if (has_length) {
        cp_rust_print(r, "; ");
        read_const(r);
    }
    cp_rust_print(r, "]");
}

static void read_tuple(struct cp_rust_reader *r)
{
    cp_rust_print(r, "(");
    if (read_list(r, read_type) == 1)
        cp_rust_print(r, ",");
    cp_rust_print(r, ")");
}

/* Parses a type that contains other types; false if the tag is not one. */
static bool read_compound(struct cp_rust_reader *r, char tag)
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
        cp_rust_print(r, tag == 'P' ? "*const " : "*mut ");
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

static void read_type(struct cp_rust_reader *r)
{
    char tag = cp_rust_next(r);

    if (!cp_rust_enter(r))
        return;
    if (basic_type(tag)) {
        cp_rust_print(r, basic_type(tag));
    } else if (!read_compound(r, tag)) {
        r->at -= !r->has_failed;
        read_path(r, false);
    }
    r->depth--;
}

/* Parses hexadecimal digits up to _; false if the value exceeds 64 bits. */
static bool read_hex(struct cp_rust_reader *r, uint64_t *out, const char **text,
                     size_t *len)
{
    *out = 0;
    *text = r->at;
    while (!cp_rust_accept(r, '_')) {
        char c = cp_rust_next(r);

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

static void print_char(struct cp_rust_reader *r, uint64_t value)
{
    char text[16];

    if (value >= 0x20 && value < 0x7f && value != '\'' && value != '\\')
        (void)snprintf(text, sizeof(text), "'%c'", (char)value);
    else
        (void)snprintf(text, sizeof(text), "'\\u{%x}'", (unsigned)value);
    cp_rust_print(r, text);
}

static void read_const(struct cp_rust_reader *r)
{
    char tag = cp_rust_next(r);
    const char *text;
    uint64_t value;
    size_t len = 0;

    if (!cp_rust_enter(r))
        return;
    if (tag == 'B') {
        read_backref(r, read_const);
    } else if (tag == 'p') {
        cp_rust_print(r, "_");
    } else if (!strchr("hmyotjaslxnibc", tag)) {
        r->has_failed = true;
    } else {
        if (strchr("aslxni", tag) && cp_rust_accept(r, 'n'))
            cp_rust_print(r, "-");
        if (!read_hex(r, &value, &text, &len)) {
            cp_rust_print(r, "0x");
            cp_rust_put(r, text, r->has_failed ? 0 : len);
        } else if (tag == 'b') {
            cp_rust_print(r, value ? "true" : "false");
        } else if (tag == 'c') {
            print_char(r, value);
        } else {
            cp_rust_print_number(r, value);
        }
    }
    r->depth--;
}

bool cp_demangle_rust(const char *name, cp_demangle_sink *sink, void *context)
{
    struct cp_rust_reader r = { .sink = sink, .context = context };
    size_t len = strcspn(name, ".$"); /* a suffix is ignored */

    if (len < 3 || name[0] != '_' || name[1] != 'R' ||
        !isupper((unsigned char)name[2]))
        return false;
    r.begin = r.at = name + 2;
    r.end = name + len;
    read_path(&r, true);
    if (cp_rust_peek(&r)) { /* the crate that instantiated the function */
        r.is_silent = true;
        read_path(&r, false);
    }
    return !r.has_failed && r.at == r.end;
}
