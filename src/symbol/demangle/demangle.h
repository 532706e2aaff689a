/*
 * demangle - demangles names of C++, Rust (legacy and v0) and D.
 *
 * libiberty demangles; this module reduces the result to the forms that a
 * profile shows. It allocates nothing and has no shared state, so any thread of
 * the tool or the library can call it.
 */
#ifndef CP_DEMANGLE_H
#define CP_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

enum cp_demangle_mode {
    CP_DEMANGLE_NONE,      /* no demangling */
    CP_DEMANGLE_TEMPLATES, /* without parameters: foo::bar<int> */
    CP_DEMANGLE_FULL,      /* complete: void foo::bar<int>(int) */
    CP_DEMANGLE_SIMPLE, /* without parameters and template arguments: foo::bar
                         */
};

/*
 * Demangles name into out, with a terminating NUL, truncated to cap bytes.
 * Returns false if the name is not mangled; out is then undefined.
 */
bool cp_demangle(const char *name, enum cp_demangle_mode mode, char *out,
                 size_t cap);

/*
 * Shortens a C++ name that a different tool has demangled, in place: removes
 * parameters, and in simple mode template arguments. A name that does not look
 * like C++ or has unbalanced brackets stays unchanged.
 */
void cp_demangle_strip(char *name, enum cp_demangle_mode mode);

/*
 * Registers a demangler for names that cp_demangle does not know. The tool
 * registers cp_demangle_d (demangle_d.h) at start; the library does not,
 * because libiberty allocates for D names.
 */
typedef bool cp_demangle_other(const char *name, enum cp_demangle_mode mode,
                               char *out, size_t cap);
void cp_demangle_also(cp_demangle_other *other);

#endif
