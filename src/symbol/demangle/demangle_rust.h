/*
 * demangle_rust - takes names of Rust's second mangling (_R...) apart.
 *
 * libiberty's reader does not bound the lifetimes of a binder: a name of 42
 * bytes keeps it busy for 28 s. It also drops the first digit of 128-bit
 * constants (tests/symbol/test_demangle.c has both). This reader bounds its
 * work by the length of the name and a fixed number of steps. It passes text
 * to a callback and allocates nothing.
 */
#ifndef CP_DEMANGLE_RUST_H
#define CP_DEMANGLE_RUST_H

#include <stdbool.h>
#include <stddef.h>

typedef void cp_demangle_sink(const char *text, size_t len, void *context);

/* False if the name is not well-formed; some text may have been given out. */
bool cp_demangle_rust(const char *name, cp_demangle_sink *sink, void *context);

#endif
