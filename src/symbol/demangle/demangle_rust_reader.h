/*
 * demangle_rust_reader - the cursor and the terminals of Rust's v0 mangling.
 *
 * demangle_rust.c parses paths and types with it. After the first error every
 * function returns an empty value and prints nothing, so the caller checks
 * has_failed only in loops and at the end.
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
    bool is_silent; /* whether output is suppressed */
    int n_steps, depth;
    uint64_t n_lifetimes; /* lifetimes introduced by open binders */
};

struct cp_rust_ident {
    const char *text;
    size_t len;
    bool is_punycode;
    uint64_t number; /* disambiguator of equal names */
};

void cp_rust_put(struct cp_rust_reader *r, const char *text, size_t len);
void cp_rust_print(struct cp_rust_reader *r, const char *text);
void cp_rust_print_number(struct cp_rust_reader *r, uint64_t number);

/*
 * Return the next character, 0 at the end; cp_rust_next also consumes it, and
 * fails at the end.
 */
char cp_rust_peek(const struct cp_rust_reader *r);
char cp_rust_next(struct cp_rust_reader *r);

/* Consumes the character if it comes next. */
bool cp_rust_accept(struct cp_rust_reader *r, char c);

/*
 * Increments the depth at the start of a construct; false if it is too deep.
 * The caller decrements it at the end.
 */
bool cp_rust_enter(struct cp_rust_reader *r);

uint64_t cp_rust_read_number(struct cp_rust_reader *r);

/*
 * Parses an optional number after a letter. Returns 0 if the letter is missing;
 * numbers start at 1.
 */
uint64_t cp_rust_read_optional(struct cp_rust_reader *r, char letter);

/* Parse an identifier; the plain form has no disambiguator. */
struct cp_rust_ident cp_rust_read_ident(struct cp_rust_reader *r);
struct cp_rust_ident cp_rust_read_plain_ident(struct cp_rust_reader *r);
void cp_rust_print_ident(struct cp_rust_reader *r,
                         const struct cp_rust_ident *id);

/*
 * Prints the lifetime with this index from the innermost; 0 is the anonymous
 * one.
 */
void cp_rust_print_lifetime(struct cp_rust_reader *r, uint64_t index);

/* Parses a binder; returns the number of lifetimes that it introduces. */
uint64_t cp_rust_open_binder(struct cp_rust_reader *r);

#endif
