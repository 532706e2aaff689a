/* demangle_d.c - demangles D names with libiberty. */
#include "symbol/demangle/demangle_d.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAME                                                               \
    4096 /* bytes; back references can expand a short name a lot               \
          */

/* Removes (...), and with is_simple also the !(...) of templates. */
static void strip(char *text, bool is_simple)
{
    char *out = text;
    size_t dropped = 0, kept = 0; /* number of open brackets of each kind */

    for (const char *at = text; *at; at++) {
        bool is_template = *at == '(' && at > text && at[-1] == '!';

        if (*at == '(' && (dropped || is_simple || !is_template) && !kept)
            dropped++;
        else if (*at == '(')
            kept++;
        if (dropped == 0 && !(is_simple && *at == '!' && at[1] == '('))
            *out++ = *at;
        if (*at == ')' && dropped)
            dropped--;
        else if (*at == ')' && kept)
            kept--;
    }
    *out = '\0';
}

bool cp_demangle_d(const char *name, enum cp_demangle_mode mode, char *out,
                   size_t cap)
{
    char *text;
    size_t len;

    if (mode == CP_DEMANGLE_NONE || cap == 0 || name[0] != '_' ||
        name[1] != 'D' || strnlen(name, MAX_NAME) == MAX_NAME)
        return false;
    text = dlang_demangle(name, DMGL_PARAMS | DMGL_ANSI);
    if (!text)
        return false;
    if (mode != CP_DEMANGLE_FULL)
        strip(text, mode == CP_DEMANGLE_SIMPLE);
    len = strlen(text);
    if (len >= cap)
        len = cap - 1;
    memcpy(out, text, len);
    out[len] = '\0';
    free(text);
    return true;
}
