/*
 * demangle - readable names from mangled ones: C++, Rust (both manglings), D.
 *
 * libiberty takes the names apart; what it writes is cut down here to the
 * forms that a profile shows. Nothing is allocated and nothing is shared, so
 * this can be called from any thread, in the tool and in the library.
 */
#ifndef CP_DEMANGLE_H
#define CP_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

enum cp_demangle_mode {
    CP_DEMANGLE_NONE,      /* names stay as they are */
    CP_DEMANGLE_TEMPLATES, /* no parameters: foo::bar<int> */
    CP_DEMANGLE_FULL,      /* everything: void foo::bar<int>(int) */
    CP_DEMANGLE_SIMPLE,    /* neither parameters nor templates: foo::bar */
};

/*
 * Writes the readable form of name into out, closed with a NUL and cut to cap
 * bytes. False if the name is not a mangled one; out is of no use then.
 */
bool cp_demangle(const char *name, enum cp_demangle_mode mode, char *out,
                 size_t cap);

/*
 * For names that another tool has demangled already: takes parameters, and in
 * simple mode template arguments, off a C++ name, in place. Text that does
 * not look like C++, or whose brackets do not match, stays as it is.
 */
void cp_demangle_strip(char *name, enum cp_demangle_mode mode);

/*
 * Has cp_demangle ask `other` about names that it does not know itself. The
 * tool gives it cp_demangle_d (demangle_d.h) before its first name; the
 * library does not, because for D names libiberty allocates.
 */
typedef bool cp_demangle_other(const char *name, enum cp_demangle_mode mode,
                               char *out, size_t cap);
void cp_demangle_also(cp_demangle_other *other);

#endif
