/* plain_name - a C++ function name without arguments and template arguments. */
#ifndef CP_PLAIN_NAME_H
#define CP_PLAIN_NAME_H

#include <stddef.h>

/*
 * Copies a demangled name of len bytes to out, without round and angle brackets
 * and their contents, and without a "const" after a round bracket. Keeps
 * "(anonymous namespace)", the brackets of operators, and brackets that are
 * never closed. out has len bytes; returns the length of the result.
 */
size_t cp_plain_name(const char *name, size_t len, char *out);

#endif
