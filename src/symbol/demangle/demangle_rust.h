/*
 * demangle_rust - demangles Rust's v0 names (_R...).
 *
 * libiberty does not limit the lifetimes of a binder: a name of 42 bytes keeps
 * it busy for 28 s. It also drops the first digit of 128-bit constants
 * (tests/symbol/demangle/test_demangle.c has both). Here the work is limited by
 * the length of the name and a fixed number of steps. It passes text to a
 * callback and allocates nothing.
 */
#ifndef CP_DEMANGLE_RUST_H
#define CP_DEMANGLE_RUST_H

#include <stdbool.h>
#include <stddef.h>

typedef void cp_demangle_sink(const char *text, size_t len, void *context);

/*
 * Returns false if the name is malformed; part of the output may already have
 * been emitted.
 */
bool cp_demangle_rust(const char *name, cp_demangle_sink *sink, void *context);

#endif
