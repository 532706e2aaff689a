/*
 * demangle_rust - takes names of Rust's second mangling (_R...) apart.
 *
 * Our own reader, because libiberty's can be made to count to 2^64. Text goes
 * to a callback as it is read; work is bounded by the length of the name and
 * a fixed number of steps. Nothing is allocated.
 */
#ifndef CP_DEMANGLE_RUST_H
#define CP_DEMANGLE_RUST_H

#include <stdbool.h>
#include <stddef.h>

typedef void cp_demangle_sink(const char *text, size_t len, void *context);

/* False if the name is not well-formed; some text may have been given out. */
bool cp_demangle_rust(const char *name, cp_demangle_sink *sink, void *context);

#endif
