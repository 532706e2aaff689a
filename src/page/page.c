/* page.c - inserts info and profile into the page. */
#include "page/page.h"

#include <stdio.h>
#include <string.h>

#include "base/out.h"

extern const char cp_asset_page_html[];

#define PLACE "<!--DATA-->" /* marks where they are inserted */

/* Writes a JSON string that is safe inside a script element. */
static void write_string(struct cp_out *out, const char *text)
{
    cp_out_char(out, '"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < 0x20 || c == '<' || c == '>' || c == '&' || c == 0x7f)
            cp_out_printf(out, "\\u%04x", c);
        else if (c == '"' || c == '\\')
            cp_out_printf(out, "\\%c", c);
        else
            cp_out_char(out, (char)c);
    }
    cp_out_char(out, '"');
}

static void write_field(struct cp_out *out, const char *name, const char *text)
{
    if (!text)
        return;
    cp_out_printf(out, ",\"%s\":", name);
    write_string(out, text);
}

static void write_info(struct cp_out *out, const struct cp_page_info *info)
{
    cp_out_cstr(out, "<script type=\"application/json\" id=\"info\">{");
    cp_out_printf(out, "\"server\":%s", info->has_server ? "true" : "false");
    write_field(out, "title", info->title);
    write_field(out, "data", info->data);
    write_field(out, "token", info->token);
    if (info->live)
        cp_out_printf(out, ",\"live\":%s", info->live);
    cp_out_cstr(out, "}</script>\n");
}

static void write_base64(struct cp_out *out, const unsigned char *bytes,
                         size_t len)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";
    char four[4];

    for (size_t i = 0; i < len; i += 3) {
        size_t n = len - i < 3 ? len - i : 3;
        uint32_t x = (uint32_t)bytes[i] << 16;

        if (n > 1)
            x |= (uint32_t)bytes[i + 1] << 8;
        if (n > 2)
            x |= bytes[i + 2];
        four[0] = digits[x >> 18];
        four[1] = digits[x >> 12 & 63];
        four[2] = digits[x >> 6 & 63];
        four[3] = digits[x & 63];
        if (n < 3)
            memset(four + n + 1, '=', 3 - n);
        cp_out_bytes(out, four, 4);
    }
}

void cp_page_write(struct cp_out *out, const struct cp_page_info *info,
                   const void *profile, size_t len)
{
    const char *place = strstr(cp_asset_page_html, PLACE);

    cp_out_bytes(out, cp_asset_page_html, (size_t)(place - cp_asset_page_html));
    write_info(out, info);
    if (len > 0) {
        cp_out_cstr(out, "<script type=\"text/plain\" id=\"profile\">");
        write_base64(out, profile, len);
        cp_out_cstr(out, "</script>\n");
    }
    cp_out_cstr(out, place + strlen(PLACE));
}

void cp_page_policy_of(const char *html, char out[CP_PAGE_POLICY_BYTES])
{
    static const char meta[] = "\"Content-Security-Policy\" content=\"";
    const char *at = strstr(html, meta);

    at = at ? at + sizeof(meta) - 1 : "default-src 'none'\"";
    (void)snprintf(out, CP_PAGE_POLICY_BYTES, "%.*s; frame-ancestors 'none'",
                   (int)strcspn(at, "\""), at);
}

void cp_page_policy(char out[CP_PAGE_POLICY_BYTES])
{
    cp_page_policy_of(cp_asset_page_html, out);
}
