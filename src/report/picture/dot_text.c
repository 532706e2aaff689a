/* dot_text.c - escapes text for Graphviz. */
#include "report/picture/dot_text.h"

#include "base/out.h"

#define REPLACEMENT "\xef\xbf\xbd"

void cp_dot_escape(struct cp_out *out, struct cp_str text)
{
    for (uint32_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (c == '\\' || c == '"')
            cp_out_char(out, '\\');
        if (c == '\n')
            cp_out_cstr(out, "\\l");
        else if (c == '\0')
            cp_out_cstr(out, REPLACEMENT);
        else
            cp_out_char(out, c);
    }
}

/* Whether Graphviz reads exactly this text as the content of a string. */
static bool is_safe_in_string(struct cp_str text)
{
    bool is_escaped = false;

    for (uint32_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (c == '\0' || (c == '"' && !is_escaped))
            return false;
        is_escaped = c == '\\' && !is_escaped;
    }
    return !is_escaped;
}

void cp_dot_raw(struct cp_out *out, struct cp_str text, bool is_drawn)
{
    if (is_drawn || !is_safe_in_string(text))
        cp_dot_escape(out, text);
    else
        cp_out_str(out, text);
}

void cp_dot_labels(struct cp_out *out, struct cp_str text, bool is_drawn)
{
    if (!is_drawn && is_safe_in_string(text)) {
        cp_out_str(out, text);
        return;
    }
    for (uint32_t i = 0; i < text.len; i++) {
        struct cp_str one = { text.ptr + i, 1 };

        if (*one.ptr == '\\' && i + 1 < text.len && one.ptr[1] == 'n')
            cp_out_char(out, '\\');
        else if (*one.ptr == '\n')
            cp_out_char(out, '\n');
        else
            cp_dot_escape(out, one);
    }
}
