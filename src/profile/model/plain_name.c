/* plain_name.c - removes arguments and template arguments from a C++ name. */
#include "profile/model/plain_name.h"

#include <stdbool.h>
#include <string.h>

static bool begins(const char *at, const char *end, const char *word)
{
    size_t n = strlen(word);

    return (size_t)(end - at) >= n && memcmp(at, word, n) == 0;
}

/* Returns the length of brackets at `at` that belong to the name, or 0. */
static size_t reserved(const char *begin, const char *at, const char *end)
{
    static const char space[] = "(anonymous namespace)", op[] = "operator";
    size_t n = sizeof(op) - 1, len = 0;
    bool is_operator = (size_t)(at - begin) >= n && memcmp(at - n, op, n) == 0;

    if (begins(at, end, space))
        return sizeof(space) - 1;
    if (begins(at, end, "->"))
        return 2;
    if (!is_operator)
        return 0;
    if (begins(at, end, "()"))
        return 2;
    while (at + len < end && strchr("<=>-", at[len]) && at[len])
        len++;
    return len;
}

/*
 * Returns the position behind the matching closing bracket; NULL if there is
 * none.
 */
static const char *close_of(const char *at, const char *end)
{
    size_t round = 0,
           angle = 0; /* depth; angle brackets inside round ones are ignored */

    for (; at < end; at++) {
        if (*at == '(')
            round++;
        else if (*at == ')' && round > 0)
            round--;
        else if (*at == '<' && round == 0)
            angle++;
        else if (*at == '>' && round == 0 && angle > 0 && at[-1] != '-')
            angle--;
        if (round == 0 && angle == 0)
            return at + 1;
    }
    return NULL;
}

size_t cp_plain_name(const char *name, size_t len, char *out)
{
    const char *at = name, *end = name + len;
    size_t n = 0;

    while (at < end) {
        size_t keep = reserved(name, at, end);
        const char *after = NULL;

        if (keep == 0 && (*at == '(' || *at == '<'))
            after = close_of(at, end);
        if (!after) {
            keep = keep ? keep : 1;
            memcpy(out + n, at, keep);
            n += keep;
            at += keep;
            continue;
        }
        if (*at == '(' && begins(after, end, " const"))
            after += strlen(" const");
        at = after;
    }
    return n;
}
