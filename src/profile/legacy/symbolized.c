/*
 * symbolized.c - applies the name list of a symbolized profile.
 *
 * The names are sorted by address once, and each location is looked up by
 * binary search. New arrays in the profile's arena replace its lines and
 * functions.
 */
#include "profile/legacy/symbolized.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/index.h"
#include "profile/model/plain_name.h"
#include "profile/model/profile.h"

#define HEX_DIGITS 16

struct named {
    uint64_t address;
    struct cp_text name; /* one or more names, separated by "--" */
    uint32_t n_names;
};

struct namer {
    struct cp_profile *p;
    struct named *items;
    size_t n, cap;
    struct cp_text binary;
    struct cp_line *lines;
    struct cp_function *functions;
    uint32_t *function_of; /* function index by string number */
    size_t cap_function_of;
    char *plain; /* scratch space for a name without arguments */
    size_t cap_plain;
    uint32_t n_lines, n_functions;
};

/* Whether the line is "--- WORD", the heading of the profile. */
static bool is_heading(struct cp_text line)
{
    return cp_text_consume(&line, "--- ") && line.pos < line.end;
}

bool cp_symbolized_split(struct cp_text *rest, struct cp_text *names)
{
    struct cp_text at = *rest, line;

    if (!cp_text_next_line(&at, &line) ||
        !cp_text_equals(cp_text_trim(line), "--- symbol"))
        return false;
    *names = at;
    while (cp_text_next_line(&at, &line)) {
        if (!cp_text_equals(cp_text_trim(line), "---"))
            continue;
        names->end = line.pos;
        *rest = at; /* contention and similar formats need their heading */
        if (cp_text_next_line(&at, &line) && is_heading(line) &&
            !cp_text_starts(line, "--- contention"))
            *rest = at;
        return true;
    }
    return false;
}

/* Removes a trailing "<0000000000001179>" from a name. */
static struct cp_text without_address(struct cp_text name)
{
    const char *open = name.end - HEX_DIGITS - 2;

    if (cp_text_len(name) <= HEX_DIGITS + 2 || name.end[-1] != '>' ||
        *open != '<')
        return name;
    for (const char *at = open + 1; at < name.end - 1; at++)
        if (cp_text_hex_value(*at) < 0)
            return name;
    return (struct cp_text){ name.pos, open };
}

/* Returns the "--" after the first name, but not that of operator--. */
static const char *find_separator(struct cp_text names)
{
    static const char word[] = "operator";
    size_t n = sizeof(word) - 1;
    const char *begin = names.pos, *at;

    while ((at = cp_text_find(names, "--"))) {
        if ((size_t)(at - begin) < n || memcmp(at - n, word, n) != 0)
            return at;
        names.pos = at + 2;
    }
    return NULL;
}

/* Removes and returns the first of several names. */
static struct cp_text next_name(struct cp_text *names)
{
    const char *ruler = find_separator(*names);
    struct cp_text name = { names->pos, ruler ? ruler : names->end };

    names->pos = ruler ? ruler + 2 : names->end;
    return without_address(name);
}

static uint32_t count_names(struct cp_text names)
{
    uint32_t n = 0;

    for (; names.pos < names.end; n++)
        (void)next_name(&names);
    return n;
}

static enum cp_status read_line(struct namer *r, struct cp_text line,
                                struct cp_error *err)
{
    struct cp_text address;
    struct named item = { 0 };

    line = cp_text_trim(line);
    if (cp_text_consume(&line, "binary=")) {
        r->binary = line;
        return CP_OK;
    }
    if (line.pos == line.end)
        return CP_OK;
    if (!cp_text_consume_address(&line, &address) ||
        !cp_text_to_hex(address, &item.address))
        return cp_error_set(err, CP_EFORMAT, "malformed symbol: %.*s",
                            CP_TEXT_ARG(line));
    item.name = cp_text_trim(line);
    item.n_names = count_names(item.name);
    if (item.n_names == 0)
        return CP_OK;
    if (cp_reserve(&r->items, &r->cap, r->n + 1, sizeof(item), err) != CP_OK)
        return CP_ENOMEM;
    r->items[r->n++] = item;
    return CP_OK;
}

static int by_address(const void *a, const void *b)
{
    const struct named *x = a, *y = b;

    return x->address < y->address ? -1 : x->address > y->address;
}

/* Interns the name without its arguments; CP_NO_STR with *err set. */
static uint32_t plain_string(struct namer *r, struct cp_text name,
                             struct cp_error *err)
{
    size_t len = cp_text_len(name);

    if (cp_reserve(&r->plain, &r->cap_plain, len + 1, 1, err) != CP_OK)
        return CP_NO_STR;
    len = cp_plain_name(name.pos, len, r->plain);
    return cp_strtab_add(&r->p->strings, r->plain, len, err);
}

/*
 * Returns the function with that name and adds it if new; CP_NONE with *err
 * set.
 */
static uint32_t function_named(struct namer *r, struct cp_text name,
                               struct cp_error *err)
{
    struct cp_strtab *strings = &r->p->strings;
    uint32_t str = cp_strtab_add(strings, name.pos, cp_text_len(name), err);
    uint32_t plain = str == CP_NO_STR ? str : plain_string(r, name, err);
    size_t old = r->cap_function_of;

    if (plain == CP_NO_STR ||
        cp_reserve(&r->function_of, &r->cap_function_of, (size_t)str + 1,
                   sizeof(*r->function_of), err) != CP_OK)
        return CP_NONE;
    if (r->cap_function_of > old)
        memset(r->function_of + old, 0,
               (r->cap_function_of - old) * sizeof(*r->function_of));
    if (r->function_of[str] == 0) {
        r->functions[r->n_functions] = (struct cp_function){
            .id = r->n_functions + 1, .name = plain, .system_name = str
        };
        r->function_of[str] = ++r->n_functions;
    }
    return r->function_of[str] - 1;
}

static const struct named *find_at(const struct namer *r, uint64_t address)
{
    struct named key = { .address = address };

    return r->n == 0 ? NULL
                     : bsearch(&key, r->items, r->n, sizeof(key), by_address);
}

/*
 * Tries address + 1 too: the list has the original leaf address, from which a
 * reader may have subtracted 1.
 */
static const struct named *find(const struct namer *r, uint64_t address)
{
    const struct named *item = find_at(r, address);

    return item ? item : find_at(r, address + 1);
}

/* Replaces the lines of a location by the names of its address. */
static enum cp_status name_location(struct namer *r, struct cp_location *l,
                                    struct cp_error *err)
{
    const struct named *item = l->n_lines ? NULL : find(r, l->address);
    struct cp_text names;

    if (!item)
        return CP_OK;
    l->lines = r->n_lines;
    for (names = item->name; names.pos < names.end; l->n_lines++) {
        uint32_t f = function_named(r, next_name(&names), err);

        if (f == CP_NONE)
            return CP_ENOMEM;
        r->lines[r->n_lines++] = (struct cp_line){ .function = f };
    }
    if (l->mapping != CP_NONE)
        r->p->mappings[l->mapping].has_functions = true;
    return CP_OK;
}

/*
 * Allocates arrays for existing and new lines and functions, and copies the
 * existing ones.
 */
static enum cp_status alloc_arrays(struct namer *r, struct cp_error *err)
{
    struct cp_profile *p = r->p;
    size_t most = 0;

    for (uint32_t i = 0; i < p->n_locations; i++) {
        const struct named *item = find(r, p->locations[i].address);

        most += item ? item->n_names : 0;
    }
    if (most > UINT32_MAX / 2 || p->n_lines + most > UINT32_MAX / 2)
        return cp_error_set(err, CP_EFORMAT, "too many symbol names");
    r->n_lines = p->n_lines;
    r->n_functions = p->n_functions;
    r->lines =
        cp_arena_alloc(&p->arena, p->n_lines + most, sizeof(*r->lines), err);
    r->functions = cp_arena_alloc(&p->arena, p->n_functions + most,
                                  sizeof(*r->functions), err);
    if (!r->lines || !r->functions)
        return CP_ENOMEM;
    if (p->n_lines)
        memcpy(r->lines, p->lines, p->n_lines * sizeof(*r->lines));
    if (p->n_functions)
        memcpy(r->functions, p->functions,
               p->n_functions * sizeof(*r->functions));
    return CP_OK;
}

static enum cp_status name_binary(struct namer *r, struct cp_error *err)
{
    struct cp_profile *p = r->p;
    uint32_t str;

    if (p->n_mappings == 0 || p->mappings[0].file ||
        r->binary.pos == r->binary.end)
        return CP_OK;
    str =
        cp_strtab_add(&p->strings, r->binary.pos, cp_text_len(r->binary), err);
    if (str == CP_NO_STR)
        return CP_ENOMEM;
    p->mappings[0].file = str;
    return CP_OK;
}

static enum cp_status name_all(struct namer *r, struct cp_error *err)
{
    enum cp_status status = alloc_arrays(r, err);

    for (uint32_t i = 0; status == CP_OK && i < r->p->n_locations; i++)
        status = name_location(r, &r->p->locations[i], err);
    if (status != CP_OK)
        return status;
    r->p->lines = r->lines;
    r->p->n_lines = r->n_lines;
    r->p->functions = r->functions;
    r->p->n_functions = r->n_functions;
    return name_binary(r, err);
}

enum cp_status cp_symbolized_name(struct cp_profile *p, struct cp_text names,
                                  struct cp_error *err)
{
    struct namer r = { .p = p, .binary = cp_text_of("", 0) };
    enum cp_status status = CP_OK;
    struct cp_text line;

    while (status == CP_OK && cp_text_next_line(&names, &line))
        status = read_line(&r, line, err);
    if (status == CP_OK && r.n > 0)
        qsort(r.items, r.n, sizeof(*r.items), by_address);
    if (status == CP_OK)
        status = name_all(&r, err);
    cp_free(r.items);
    cp_free(r.function_of);
    cp_free(r.plain);
    return status;
}
