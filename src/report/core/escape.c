/* escape.c - escapes text; copies runs of plain bytes at once. */
#include "report/core/escape.h"

#include <stdio.h>
#include <string.h>

#include "base/out.h"
#include "base/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd"

/* Returns the replacement of a character; NULL if it needs none. */
typedef const char *(*escape_one)(uint32_t rune, char buf[static 8]);

static void escape(struct cp_out *out, struct cp_str text, escape_one one)
{
    uint32_t done = 0, rune = 0;
    char buf[8];

    for (uint32_t i = 0; i < text.len;) {
        size_t n = cp_utf8_decode(text.ptr + i, text.len - i, &rune);
        const char *instead = n ? one(rune, buf) : REPLACEMENT;

        n = n ? n : 1;
        if (instead) {
            cp_out_bytes(out, text.ptr + done, i - done);
            cp_out_cstr(out, instead);
            done = i + (uint32_t)n;
        }
        i += (uint32_t)n;
    }
    if (done < text.len)
        cp_out_bytes(out, text.ptr + done, text.len - done);
}

static const char *json_one(uint32_t rune, char buf[static 8])
{
    switch (rune) {
    case '"':
        return "\\\"";
    case '\\':
        return "\\\\";
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\t':
        return "\\t";
    default:
        break;
    }
    if (rune >= ' ' && rune != 0x7f)
        return NULL;
    (void)snprintf(buf, 8, "\\u%04x", rune & 0xffffu);
    return buf;
}

void cp_escape_json(struct cp_out *out, struct cp_str text)
{
    cp_out_char(out, '"');
    escape(out, text, json_one);
    cp_out_char(out, '"');
}

static const char *xml_one(uint32_t rune, char buf[static 8])
{
    (void)buf;
    switch (rune) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\t':
    case '\n':
        return NULL;
    default:
        break;
    }
    if (rune < ' ' || rune == 0x7f || rune == 0xfffe || rune == 0xffff)
        return REPLACEMENT;
    return NULL;
}

void cp_escape_xml(struct cp_out *out, struct cp_str text)
{
    escape(out, text, xml_one);
}

void cp_escape_csv(struct cp_out *out, struct cp_str text)
{
    bool needs_quotes = false;

    for (uint32_t i = 0; i < text.len && !needs_quotes; i++)
        needs_quotes = text.ptr[i] != '\0' && strchr(",\"\r\n", text.ptr[i]);
    if (!needs_quotes) {
        cp_out_str(out, text);
        return;
    }
    cp_out_char(out, '"');
    for (uint32_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"')
            cp_out_char(out, '"');
        cp_out_char(out, text.ptr[i]);
    }
    cp_out_char(out, '"');
}
