/*
 * demangle_strip.c - shortens names that are already demangled.
 *
 * A profile that another tool has symbolized may contain complete C++
 * signatures. The language must be guessed: a C++ name has angle or square
 * brackets or "::", and not the forms of Go (T[...]).m or Java .<init>.
 * Bracketed parts are removed only if all brackets are balanced; brackets of
 * operator names and of the anonymous namespace do not count.
 */
#include <string.h>

#include "symbol/demangle/demangle.h"

static bool looks_like_cplusplus(const char *name)
{
    return (strpbrk(name, "<>[]") || strstr(name, "::")) &&
           !strstr(name, ".<") && !strstr(name, "]).");
}

/* Returns the length of an operator name at `at` that consists of brackets. */
static size_t operator_len(const char *at)
{
    static const char *const operators[] = { "()",  "<<=", "<=>", "<<",
                                             "<=",  "<",   "->*", "->",
                                             ">>=", ">>",  ">=",  ">" };

    for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
        if (strncmp(at, operators[i], strlen(operators[i])) == 0)
            return strlen(operators[i]);
    return 0;
}

/*
 * Copies name to out without these brackets and their contents; false if they
 * are unbalanced, and out is then undefined. out may equal name.
 */
static bool copy_without_brackets(const char *name, const char *brackets,
                                  char *out)
{
    static const char space[] = "(anonymous namespace)", op[] = "operator";
    const char *after_op = NULL;
    size_t depth = 0, n;

    for (const char *at = name; *at; at += n) {
        n = at == after_op ? operator_len(at) : 0;
        if (n == 0 && strncmp(at, space, sizeof(space) - 1) == 0)
            n = sizeof(space) - 1;
        if (strncmp(at, op, sizeof(op) - 1) == 0)
            after_op = at + sizeof(op) - 1;
        if (n == 0) {
            n = 1;
            if (*at == brackets[1] && depth-- == 0)
                return false;
            if (*at == brackets[1])
                continue;
            depth += *at == brackets[0];
        }
        if (depth == 0 && out) {
            memmove(out, at, n);
            out += n;
        }
    }
    if (depth == 0 && out)
        *out = '\0';
    return depth == 0;
}

void cp_demangle_strip(char *name, enum cp_demangle_mode mode)
{
    if ((mode != CP_DEMANGLE_TEMPLATES && mode != CP_DEMANGLE_SIMPLE) ||
        !looks_like_cplusplus(name))
        return;
    if (copy_without_brackets(name, "()", NULL))
        (void)copy_without_brackets(name, "()", name);
    if (mode == CP_DEMANGLE_SIMPLE && copy_without_brackets(name, "<>", NULL))
        (void)copy_without_brackets(name, "<>", name);
}
