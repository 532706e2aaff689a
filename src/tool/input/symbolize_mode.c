/* symbolize_mode.c - parses the value of -symbolize. */
#include "tool/input/symbolize_mode.h"

#include <string.h>
#include <strings.h>

static bool is_word(const char *at, size_t len, const char *word)
{
    return strlen(word) == len && strncasecmp(at, word, len) == 0;
}

static bool read_demangle(struct cp_symbolize_mode *m, const char *at,
                          size_t len)
{
    if (is_word(at, len, "demangle=default"))
        return true;
    if (is_word(at, len, "demangle=none"))
        m->demangle = CP_DEMANGLE_NONE;
    else if (is_word(at, len, "demangle=templates"))
        m->demangle = CP_DEMANGLE_TEMPLATES;
    else if (is_word(at, len, "demangle=full"))
        m->demangle = CP_DEMANGLE_FULL;
    else
        return false;
    m->is_forced = true;
    return true;
}

static bool read_word(struct cp_symbolize_mode *m, const char *at, size_t len)
{
    if (len == 0)
        return true;
    if (is_word(at, len, "none") || is_word(at, len, "no")) {
        m->is_none = true;
    } else if (is_word(at, len, "local")) {
        m->is_local = true;
        m->is_remote = false;
    } else if (is_word(at, len, "fastlocal")) {
        m->is_local = m->is_fast = true;
        m->is_remote = false;
    } else if (is_word(at, len, "remote")) {
        m->is_local = false;
        m->is_remote = true;
    } else if (is_word(at, len, "force")) {
        m->is_forced = true;
    } else {
        return read_demangle(m, at, len);
    }
    return true;
}

bool cp_symbolize_mode_read(struct cp_symbolize_mode *m, const char *text)
{
    bool is_known = true;

    *m = (struct cp_symbolize_mode){ .is_local = true,
                                     .is_remote = true,
                                     .demangle = CP_DEMANGLE_SIMPLE };
    for (;;) {
        size_t len = strcspn(text, ":");

        is_known &= read_word(m, text, len);
        if (m->is_none || text[len] == '\0')
            return is_known;
        text += len + 1;
    }
}
