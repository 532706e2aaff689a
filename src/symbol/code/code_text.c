/*
 * code_text.c - parses perf maps and kallsyms.
 *
 *   perf map:  START SIZE NAME       hexadecimal; NAME is the rest of the line
 *   kallsyms:  ADDRESS TYPE NAME[TAB[MODULE]]
 *
 * The second word of kallsyms is a single letter. If that letter is also a
 * hexadecimal digit, it counts only after an earlier line was recognized as
 * kallsyms.
 */
#include <ctype.h>
#include <string.h>

#include "symbol/code/code_pieces.h"

/*
 * Parses a hexadecimal number and the space behind it; NULL if it is not one.
 */
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

/* Parses "T name" behind the address; appends the module to the name. */
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

/* Parses one line; false if it is not a region. */
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
