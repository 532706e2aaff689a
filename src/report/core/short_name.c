/*
 * short_name.c - shortens Go, Java and C++ names.
 *
 *   (anonymous namespace)::f            f
 *   example.com/a/v2.(*T).M             a.(*T).M
 *   java.util.Map$Entry.get(int)        Map$Entry.get
 *   a::b::Class::method<int>(int)       Class::method<int>
 */
#include "report/core/short_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns the byte at i, or 0 at the end. */
static char at(struct cp_str s, uint32_t i)
{
    return i < s.len ? s.ptr[i] : '\0';
}

static struct cp_str tail(struct cp_str s, uint32_t from)
{
    return (struct cp_str){ s.ptr + from, s.len - from };
}

/*
 * Returns the length of "/v2", "/v10" ... at i if a dot or slash follows; else
 * 0.
 */
static uint32_t version_len(struct cp_str s, uint32_t i)
{
    uint32_t n = i + 2;

    if (at(s, i) != '/' || at(s, i + 1) != 'v' || at(s, n) == '0')
        return 0;
    while (isdigit((unsigned char)at(s, n)))
        n++;
    if (n == i + 2 || (n == i + 3 && at(s, i + 2) == '1'))
        return 0;
    return at(s, n) == '.' || at(s, n) == '/' ? n - i : 0;
}

/* Removes a major version from a Go import path. */
static struct cp_str without_version(struct cp_str s, struct cp_arena *arena,
                                     struct cp_error *err)
{
    for (uint32_t i = 0; i < s.len; i++) {
        uint32_t len = version_len(s, i);
        char *copy;

        if (len == 0)
            continue;
        copy = cp_arena_alloc(arena, s.len, 1, err);
        if (!copy)
            return (struct cp_str){ NULL, 0 };
        memcpy(copy, s.ptr, i);
        memcpy(copy + i, s.ptr + i + len, s.len - i - len);
        return (struct cp_str){ copy, s.len - len };
    }
    return s;
}

/*
 * Cuts an import path: everything up to the last slash that is followed by
 * "name.rest" with text on both sides of its first dot.
 */
static bool shorten_go(struct cp_str *s)
{
    uint32_t best = 0, begin = 0, dot = 0; /* dot: first dot after i */

    for (uint32_t i = 0; i < s->len; i++) {
        char c = s->ptr[i];

        while (dot < s->len && (dot <= i || s->ptr[dot] != '.'))
            dot++;
        if (c == '/' && i > begin) {
            if (dot > i + 1 && dot + 1 < s->len && s->ptr[dot + 1] != '\n')
                best = i + 1;
            begin = i + 1;
        } else if (!is_word(c) && c != '-' && c != '.') {
            break;
        }
    }
    *s = tail(*s, best);
    return best > 0;
}

static uint32_t skip_java_packages(struct cp_str s)
{
    uint32_t from = 0, i = 0;

    while (islower((unsigned char)at(s, i))) {
        while (is_word(at(s, i)))
            i++;
        if (at(s, i) != '.')
            break;
        from = ++i;
    }
    return from;
}

static bool is_java(char c)
{
    return is_word(c) || c == '$';
}

static bool shorten_java(struct cp_str *s)
{
    uint32_t from = skip_java_packages(*s), i = from;

    if (!isupper((unsigned char)at(*s, i)))
        return false;
    while (is_java(at(*s, i)))
        i++;
    if (at(*s, i++) != '.')
        return false;
    if (s->len - i >= 6 && memcmp(s->ptr + i, "<init>", 6) == 0) {
        i += 6;
    } else {
        if (!islower((unsigned char)at(*s, i)))
            return false;
        while (is_java(at(*s, i)))
            i++;
    }
    if (i < s->len && s->ptr[i] != '(')
        return false;
    *s = (struct cp_str){ s->ptr + from, i - from };
    return true;
}

/* Returns the length of the identifier at i, or 0. */
static uint32_t identifier_len(struct cp_str s, uint32_t i)
{
    uint32_t n = i;

    if (!isalpha((unsigned char)at(s, i)) && at(s, i) != '_')
        return 0;
    while (is_word(at(s, n)))
        n++;
    return n - i;
}

/* Returns the length of "Class::method<...>" at i, or 0. */
static uint32_t method_len(struct cp_str s, uint32_t i)
{
    uint32_t n = i, len, end;

    while (at(s, n) == '_')
        n++;
    if (!isupper((unsigned char)at(s, n)))
        return 0;
    n = i + identifier_len(s, i);
    if (at(s, n) != ':' || at(s, n + 1) != ':')
        return 0;
    n += 2;
    if (at(s, n) == '~')
        n++;
    len = identifier_len(s, n);
    if (len == 0)
        return 0;
    n += len;
    if (at(s, n) != '<')
        return n - i;
    for (end = n; end < s.len && s.ptr[end] != '\n';)
        end++;
    while (end > n && s.ptr[end - 1] != '>')
        end--;
    return (end > n ? end : n) - i;
}

static bool shorten_cpp(struct cp_str *s)
{
    uint32_t i = 0, best = 0, best_len = 0;

    for (;;) {
        uint32_t n = identifier_len(*s, i);

        if (n == 0 || at(*s, i + n) != ':' || at(*s, i + n + 1) != ':')
            break;
        i += n + 2;
        if (method_len(*s, i)) {
            best = i;
            best_len = method_len(*s, i);
        }
    }
    if (best_len > 0)
        *s = (struct cp_str){ s->ptr + best, best_len };
    return best_len > 0;
}

struct cp_str cp_short_name(struct cp_str name, struct cp_arena *arena,
                            struct cp_error *err)
{
    static const char anonymous[] = "(anonymous namespace)::";
    uint32_t n = sizeof(anonymous) - 1;

    if (name.len >= n && memcmp(name.ptr, anonymous, n) == 0)
        name = tail(name, n);
    name = without_version(name, arena, err);
    if (name.ptr && !shorten_go(&name) && !shorten_java(&name))
        (void)shorten_cpp(&name);
    return name;
}
