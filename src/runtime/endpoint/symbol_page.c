/*
 * symbol_page.c - builds a profile with one location per address, so that
 * annotate.c finds the names as it does for every other profile.
 */
#include "runtime/endpoint/symbol_page.h"

#include <string.h>

#include "base/assert/assert.h"
#include "base/index.h"
#include "base/out.h"
#include "http/exchange.h"
#include "http/request.h"
#include "profile/model/build.h"
#include "runtime/endpoint/params.h"
#include "runtime/endpoint/service.h"
#include "runtime/symbolize/annotate.h"
#include "runtime/symbolize/mappings.h"

/* Adds a location for each address; ignores the rest of the string. */
static enum cp_status read_addresses(struct cp_builder *b, const char *text,
                                     size_t len, struct cp_error *err)
{
    const char *at = text, *end = text + len;

    while (at < end) {
        const char *plus = memchr(at, '+', (size_t)(end - at));
        size_t n = (size_t)((plus ? plus : end) - at), trimmed = n;
        uint64_t address;

        while (trimmed > 0 && (unsigned char)at[trimmed - 1] <= ' ')
            trimmed--; /* a line end after the last address */
        if (cp_params_address(at, trimmed, &address) && address != 0 &&
            cp_builder_location(b, address, err) == CP_NONE)
            return CP_ENOMEM;
        at += n + 1;
    }
    return CP_OK;
}

/*
 * Writes the outermost function of each address, not an inlined one: clients
 * show one name per address, and it must be the callee of the next frame.
 */
static void put_names(const struct cp_profile *p, struct cp_out *out)
{
    cp_out_cstr(out, "num_symbols: 1\n");
    for (uint32_t i = 0; i < p->n_locations; i++) {
        const struct cp_location *l = &p->locations[i];
        uint32_t function;

        if (l->n_lines == 0)
            continue;
        CP_ASSERT(l->lines + l->n_lines <= p->n_lines);
        function = p->lines[l->lines + l->n_lines - 1].function;
        CP_ASSERT(function < p->n_functions);
        cp_out_printf(out, "0x%llx %s\n", (unsigned long long)l->address,
                      cp_profile_cstr(p, p->functions[function].name));
    }
}

static enum cp_status resolve(struct cp_service *s, struct cp_builder *b,
                              struct cp_out *out, struct cp_error *err)
{
    struct cp_mappings m = { 0 };
    enum cp_status status = CP_OK;

    if (b->profile->n_locations > 0) {
        status = cp_mappings_read(&m, err);
        if (status == CP_OK)
            status = cp_annotate_mappings(b->profile, &m, err);
        if (status == CP_OK)
            status = cp_annotate_lines(b->profile, &m, s->symbols, err);
        if (status == CP_OK)
            status = cp_annotate_replace_invalid_utf8(b->profile, err);
    }
    if (status == CP_OK)
        put_names(b->profile, out);
    cp_mappings_release(&m);
    return status;
}

void cp_symbol_page(struct cp_service *s, struct cp_http_exchange *x)
{
    const struct cp_http_request *r = cp_http_request_of(x);
    bool is_post = cp_http_request_is(r, "POST");
    const char *body = r->body.len ? r->body.bytes : "";
    const char *text = is_post ? body : cp_http_request_query(r);
    size_t len = is_post ? r->body.len : strlen(text);
    struct cp_out out = { .fd = -1 };
    struct cp_error err = { 0 };
    struct cp_builder b = { 0 };

    if (cp_builder_init(&b, &err) == CP_OK &&
        read_addresses(&b, text, len, &err) == CP_OK &&
        resolve(s, &b, &out, &err) == CP_OK) {
        cp_service_text_headers(x);
        cp_http_answer(x, 200, &out);
    } else {
        cp_out_release(&out);
        cp_service_error(x, 500, "%s", err.msg);
    }
    cp_builder_release(&b);
    cp_service_defer_close_symbols(s);
}
