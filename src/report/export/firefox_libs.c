/* firefox_libs.c - collects and writes the libraries of a profile. */
#include "report/export/firefox_libs.h"

#include <string.h>

#include "base/alloc.h"
#include "base/index.h"
#include "base/out.h"
#include "base/path.h"
#include "profile/model/profile.h"
#include "report/core/escape.h"

static void list_files(struct cp_firefox_libs *l)
{
    for (uint32_t i = 0; i < l->profile->n_mappings; i++) {
        const struct cp_mapping *m = &l->profile->mappings[i];
        uint32_t *lib = &l->of_file[m->file];

        if (*lib == CP_NONE && m->file) {
            *lib = l->n;
            l->items[l->n++].file = m->file;
        }
        if (*lib != CP_NONE && !l->items[*lib].build_id)
            l->items[*lib].build_id = m->build_id;
    }
}

enum cp_status cp_firefox_libs_init(struct cp_firefox_libs *l,
                                    const struct cp_profile *p,
                                    struct cp_error *err)
{
    *l = (struct cp_firefox_libs){ .profile = p };
    l->items = cp_alloc(p->n_mappings, sizeof(*l->items), err);
    l->of_file = cp_alloc(p->strings.n, sizeof(*l->of_file), err);
    if (!l->items || !l->of_file)
        return CP_ENOMEM;
    memset(l->of_file, 0xff, p->strings.n * sizeof(*l->of_file));
    list_files(l);
    return CP_OK;
}

void cp_firefox_libs_release(struct cp_firefox_libs *l)
{
    cp_free(l->items);
    cp_free(l->of_file);
    *l = (struct cp_firefox_libs){ 0 };
}

struct cp_str cp_firefox_libs_name(const struct cp_firefox_libs *l, uint32_t i)
{
    return cp_path_base(cp_profile_str(l->profile, l->items[i].file));
}

static void write_lib(const struct cp_firefox_libs *l, uint32_t i,
                      struct cp_out *out)
{
    struct cp_str path = cp_profile_str(l->profile, l->items[i].file);
    uint32_t build_id = l->items[i].build_id;

    cp_out_cstr(out, "{\"arch\":null,\"name\":");
    cp_escape_json(out, cp_path_base(path));
    cp_out_cstr(out, ",\"path\":");
    cp_escape_json(out, path);
    cp_out_cstr(out, ",\"debugName\":");
    cp_escape_json(out, cp_path_base(path));
    cp_out_cstr(out, ",\"debugPath\":");
    cp_escape_json(out, path);
    cp_out_cstr(out, ",\"breakpadId\":\"000000000000000000000000000000000\","
                     "\"codeId\":");
    if (build_id)
        cp_escape_json(out, cp_profile_str(l->profile, build_id));
    else
        cp_out_cstr(out, "null");
    cp_out_char(out, '}');
}

void cp_firefox_libs_write(const struct cp_firefox_libs *l, struct cp_out *out)
{
    cp_out_char(out, '[');
    for (uint32_t i = 0; i < l->n; i++) {
        cp_out_cstr(out, i ? ",\n" : "");
        write_lib(l, i, out);
    }
    cp_out_char(out, ']');
}
