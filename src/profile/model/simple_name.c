/* simple_name.c - removes the arguments from a function name. */
#include "profile/model/simple_name.h"

#include <stdbool.h>
#include <string.h>

static bool begins(const char *at, const char *end, const char *word)
{
    size_t len = strlen(word);

    return (size_t)(end - at) >= len && memcmp(at, word, len) == 0;
}

/* Returns the length of a bracket at `at` that belongs to the name, or 0. */
static size_t reserved_len(const char *begin, const char *at, const char *end)
{
    static const char space[] = "(anonymous namespace)", op[] = "operator";
    size_t op_len = sizeof(op) - 1;

    if (begins(at, end, space))
        return sizeof(space) - 1;
    if (begins(at, end, "()") && (size_t)(at - begin) >= op_len &&
        memcmp(at - op_len, op, op_len) == 0)
        return 2;
    return 0;
}

struct cp_str cp_simple_name(struct cp_str name)
{
    const char *at, *end = name.ptr + name.len;

    if (name.len > 0 && name.ptr[0] == '.')
        name.ptr++;
    for (at = name.ptr; at < end; at++) {
        size_t keep;

        if (*at != '(')
            continue;
        keep = reserved_len(name.ptr, at, end);
        if (keep == 0)
            break;
        at += keep - 1;
    }
    name.len = (uint32_t)(at - name.ptr);
    return name;
}
