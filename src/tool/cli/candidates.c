/* candidates.c - adds, sorts and lists completions. */
#include "tool/cli/candidates.h"

#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "base/printable.h"
#include "tool/cli/prompt.h"

#define MAX_LISTED 200

void cp_candidates_add(struct cp_candidates *c, const char *text)
{
    /*
     * Skip unprintable names: the user cannot type them, and libedit would
     * print them raw.
     */
    bool is_plain = cp_printable_is(text, strlen(text));
    const char *copy =
        is_plain ? cp_arena_copy(&c->arena, text, strlen(text), NULL) : NULL;

    if (copy && cp_arena_reserve(&c->arena, &c->items, c->n, &c->cap, c->n + 1,
                                 sizeof(*c->items), NULL) == CP_OK)
        c->items[c->n++] = copy;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void cp_candidates_sort(struct cp_candidates *c)
{
    size_t n = 0;

    if (c->n == 0)
        return;
    qsort(c->items, c->n, sizeof(*c->items), by_text);
    for (size_t i = 0; i < c->n; i++)
        if (n == 0 || strcmp(c->items[i], c->items[n - 1]) != 0)
            c->items[n++] = c->items[i];
    c->n = n;
}

size_t cp_candidates_common(const struct cp_candidates *c)
{
    size_t common = c->n ? strlen(c->items[0]) : 0;

    for (size_t i = 1; i < c->n; i++) {
        size_t len = 0;

        while (len < common && c->items[i][len] == c->items[0][len])
            len++;
        common = len;
    }
    while (common > 0 && c->n > 0 &&
           ((unsigned char)c->items[0][common] & 0xc0) == 0x80)
        common--; /* do not cut a UTF-8 character */
    return common;
}

void cp_candidates_list(const struct cp_candidates *c, size_t width,
                        struct cp_out *out)
{
    size_t n = c->n < MAX_LISTED ? c->n : MAX_LISTED, column = 1, n_columns;
    size_t n_rows;

    for (size_t i = 0; i < n; i++)
        if (cp_out_width(c->items[i], strlen(c->items[i])) + 2 > column)
            column = cp_out_width(c->items[i], strlen(c->items[i])) + 2;
    n_columns = width / column ? width / column : 1;
    n_rows = (n + n_columns - 1) / n_columns;
    for (size_t row = 0; row < n_rows; row++) {
        for (size_t i = row; i < n; i += n_rows) {
            size_t len = strlen(c->items[i]);

            cp_out_bytes(out, c->items[i], len);
            if (i + n_rows < n)
                cp_out_fill(out, ' ', column - cp_out_width(c->items[i], len));
        }
        cp_out_char(out, '\n');
    }
    if (n < c->n)
        cp_out_printf(out, "... and %zu more\n", c->n - n);
}

void cp_candidates_release(struct cp_candidates *c)
{
    cp_arena_release(&c->arena);
    *c = (struct cp_candidates){ 0 };
}
