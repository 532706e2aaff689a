/*
 * code_text.c - reads perf's maps and the kernel's symbols; see code_map.h.
 *
 *   perf map:  START SIZE NAME       hexadecimal; the name has the rest
 *   kallsyms:  ADDRESS TYPE NAME[TAB[MODULE]]
 *
 * They are told apart by the second word: one letter that is no digit of a
 * number, or whose line has a name of the kernel's kind.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "symbol/code/code_pieces.h"

/* A hexadecimal number and the space behind it; NULL: it is none. */
static char *read_hex(char *p, uint64_t *out)
{
    int n = 0;

    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
        p += 2;
    for (*out = 0; isxdigit((unsigned char)*p) && n < 16; p++, n++)
        *out = *out << 4 |
               (uint64_t)(*p <= '9' ? *p - '0' : (*p | 0x20) - 'a' + 10);
    if (n == 0 || (*p != ' ' && *p != '\t'))
        return NULL;
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

/* "T name" behind the address; a module becomes a part of the name. */
static bool read_kernel(char *p, struct cp_code_piece *out)
{
    char *tab;

    if (!strchr("tTwW", p[0]))
        return false;
    p += 2;
    while (*p == ' ')
        p++;
    tab = strchr(p, '\t');
    if (tab)
        *tab = ' ';
    out->name = p;
    return *p != 0;
}

/* One line; false: it says nothing. */
static bool read_line(char *line, struct cp_code_piece *out, bool *is_kernel)
{
    char *p = read_hex(line, &out->start);

    if (!p)
        return false;
    if (isalpha((unsigned char)p[0]) && p[1] == ' ' &&
        (*is_kernel || !isxdigit((unsigned char)p[0]))) {
        *is_kernel = true;
        return read_kernel(p, out);
    }
    if (*is_kernel)
        return false;
    p = read_hex(p, &out->size);
    out->name = p;
    return p && *p && out->size > 0;
}

enum cp_status cp_code_text_read(struct cp_code_pieces *p, struct cp_error *err)
{
    char *at = (char *)p->bytes.data, *end = at + p->bytes.len, *newline;
    bool is_kernel = false, is_hidden = true;

    for (; at < end && (newline = memchr(at, '\n', (size_t)(end - at)));
         at = newline + 1) {
        struct cp_code_piece piece = { 0 };

        *newline = 0;
        if (!read_line(at, &piece, &is_kernel))
            continue;
        is_hidden &= is_kernel && piece.start == 0;
        if (cp_code_pieces_add(p, &piece, err) != CP_OK)
            return CP_ENOMEM;
    }
    if (p->n > 0 && is_hidden)
        return cp_error_set(err, CP_EFORMAT,
                            "the kernel hides its addresses: read it as "
                            "root, or set kernel.kptr_restrict");
    return CP_OK;
}
