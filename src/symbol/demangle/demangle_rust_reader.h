/*
 * demangle_rust_reader - the letters under Rust's names: a place in the text,
 * and the pieces that hold no others.
 *
 * demangle_rust.c reads paths and types with it. After the first failure
 * every function gives nothing and writes nothing, so that has_failed needs
 * checking only where something is repeated, and at the end.
 */
#ifndef CP_DEMANGLE_RUST_READER_H
#define CP_DEMANGLE_RUST_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/demangle/demangle_rust.h"

struct cp_rust_reader {
    const char *begin, *at, *end;
    cp_demangle_sink *sink;
    void *context;
    bool has_failed;
    bool is_silent; /* what is read is not shown */
    int n_steps, depth;
    uint64_t n_lifetimes; /* that binders have introduced */
};

struct cp_rust_ident {
    const char *text;
    size_t len;
    bool is_punycode;
    uint64_t number; /* what tells it from others of that name */
};

void cp_rust_put(struct cp_rust_reader *r, const char *text, size_t len);
void cp_rust_print(struct cp_rust_reader *r, const char *text);
void cp_rust_print_number(struct cp_rust_reader *r, uint64_t number);

/* The next letter, 0 at the end; next also steps over it, and fails there. */
char cp_rust_peek(const struct cp_rust_reader *r);
char cp_rust_next(struct cp_rust_reader *r);

/* Steps over the letter if it is next. */
bool cp_rust_take(struct cp_rust_reader *r, char c);

/*
 * Begins a construct, whose end takes 1 from the depth; false if there have
 * been too many of them.
 */
bool cp_rust_enter(struct cp_rust_reader *r);

uint64_t cp_rust_read_number(struct cp_rust_reader *r);

/* A number behind a letter that may be missing: then 0, else from 1. */
uint64_t cp_rust_read_optional(struct cp_rust_reader *r, char letter);

/* An identifier; the plain one has no number before it. */
struct cp_rust_ident cp_rust_read_ident(struct cp_rust_reader *r);
struct cp_rust_ident cp_rust_read_plain_ident(struct cp_rust_reader *r);
void cp_rust_print_ident(struct cp_rust_reader *r,
                         const struct cp_rust_ident *id);

/* The lifetime that is so many from the innermost; 0 is the one without name */
void cp_rust_print_lifetime(struct cp_rust_reader *r, uint64_t index);

/* Reads a binder; returns how many lifetimes it introduced. */
uint64_t cp_rust_open_binder(struct cp_rust_reader *r);

#endif
