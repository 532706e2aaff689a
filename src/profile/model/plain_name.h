/* plain_name - a C++ function's name without arguments and template ones. */
#ifndef CP_PLAIN_NAME_H
#define CP_PLAIN_NAME_H

#include <stddef.h>

/*
 * Copies len bytes of a demangled name to out without what is in round or
 * angle brackets, and without a "const" behind the former. Those of
 * "(anonymous namespace)" and of operators stay, and so does what has no end.
 * out has room for len bytes; returns how many there are.
 */
size_t cp_plain_name(const char *name, size_t len, char *out);

#endif
