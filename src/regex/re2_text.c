/* re2_text.c - appends text; allocation failures are sticky. */
#include "regex/re2_text.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

void cp_re2_text_add_bytes(struct cp_re2_text *t, const char *s, size_t len)
{
    if (t->is_out_of_memory || len == 0)
        return;
    if (cp_reserve(&t->data, &t->cap, t->len + len, 1, NULL) != CP_OK) {
        t->is_out_of_memory = true;
        return;
    }
    memcpy(t->data + t->len, s, len);
    t->len += len;
}

void cp_re2_text_add(struct cp_re2_text *t, const char *s)
{
    cp_re2_text_add_bytes(t, s, strlen(s));
}

static bool is_plain(uint32_t rune)
{
    return (rune >= '0' && rune <= '9') || (rune >= 'a' && rune <= 'z') ||
           (rune >= 'A' && rune <= 'Z') || rune == '_';
}

void cp_re2_text_add_rune(struct cp_re2_text *t, uint32_t rune)
{
    char hex[16] = { (char)rune };

    if (!is_plain(rune))
        (void)snprintf(hex, sizeof(hex), "\\x{%x}", (unsigned)rune);
    cp_re2_text_add(t, hex);
}

void cp_re2_text_add_range(struct cp_re2_text *t, uint32_t first, uint32_t last)
{
    cp_re2_text_add_rune(t, first);
    if (last == first)
        return;
    cp_re2_text_add(t, "-");
    cp_re2_text_add_rune(t, last);
}
