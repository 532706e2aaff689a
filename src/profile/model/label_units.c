/* label_units.c - collects the units of each label key and formats warnings. */
#include "profile/model/label_units.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/index.h"
#include "base/out.h"
#include "profile/model/profile.h"

/* A unit of a key that differs from the unit in use. */
struct other {
    struct cp_str key, unit;
    uint32_t key_id;
};

struct others {
    struct other *list;
    size_t n, cap;
    struct cp_strtab known; /* pairs of key and unit, as strings */
};

static enum cp_status note_label(struct cp_label_units *u,
                                 const struct cp_profile *p,
                                 const struct cp_label *l, struct others *o,
                                 struct cp_error *err)
{
    struct other x = { cp_profile_str(p, l->key), cp_profile_str(p, l->unit),
                       l->key };

    if (u->unit[l->key] == CP_NONE)
        u->unit[l->key] = 0;
    if (l->unit == 0 || u->unit[l->key] == l->unit)
        return CP_OK;
    if (u->unit[l->key] == 0) {
        u->unit[l->key] = l->unit;
        return CP_OK;
    }
    uint32_t pair[2] = { l->key, l->unit }, n_known = o->known.n;
    if (cp_strtab_add(&o->known, (const char *)pair, sizeof(pair), err) ==
        CP_NO_STR)
        return CP_ENOMEM;
    if (o->known.n == n_known)
        return CP_OK;
    if (cp_reserve(&o->list, &o->cap, o->n + 1, sizeof(*o->list), err) != CP_OK)
        return CP_ENOMEM;
    o->list[o->n++] = x;
    return CP_OK;
}

static int by_key_then_unit(const void *a, const void *b)
{
    const struct other *x = a, *y = b;
    int order = cp_str_cmp(x->key, y->key);

    return order ? order : cp_str_cmp(x->unit, y->unit);
}

static enum cp_status infer_units(struct cp_label_units *u,
                                  struct cp_profile *p, uint32_t n_keys,
                                  struct cp_error *err)
{
    uint32_t bytes = cp_strtab_add(&p->strings, "bytes", 5, err);

    if (bytes == CP_NO_STR)
        return CP_ENOMEM;
    for (uint32_t key = 0; key < n_keys; key++) {
        const char *name = cp_profile_cstr(p, key);

        if (u->unit[key] != 0)
            continue;
        u->unit[key] =
            strcmp(name, "alignment") == 0 || strcmp(name, "request") == 0
                ? bytes
                : key;
    }
    return CP_OK;
}

/* Returns one line about the units from index *i that share a key. */
static char *warning_line(struct cp_label_units *u, const struct cp_profile *p,
                          const struct others *o, size_t *i,
                          struct cp_error *err)
{
    const struct other *first = &o->list[*i];
    struct cp_out text = { .fd = -1 };
    char *line = NULL;

    cp_out_printf(&text, "For tag %s used unit %s, also encountered unit(s) ",
                  first->key.ptr, cp_profile_cstr(p, u->unit[first->key_id]));
    for (; *i < o->n && o->list[*i].key_id == first->key_id; (*i)++) {
        cp_out_cstr(&text, &o->list[*i] == first ? "" : ", ");
        cp_out_str(&text, o->list[*i].unit);
    }
    if (cp_out_finish(&text, err) == CP_OK)
        line = cp_arena_copy(&u->arena, text.buf, text.len, err);
    cp_out_release(&text);
    return line;
}

static enum cp_status make_warnings(struct cp_label_units *u,
                                    const struct cp_profile *p,
                                    const struct others *o,
                                    struct cp_error *err)
{
    if (o->n == 0)
        return CP_OK;
    qsort(o->list, o->n, sizeof(*o->list), by_key_then_unit);
    u->warnings = cp_arena_alloc(&u->arena, o->n, sizeof(*u->warnings), err);
    if (!u->warnings)
        return CP_ENOMEM;
    for (size_t i = 0; i < o->n;) {
        char *line = warning_line(u, p, o, &i, err);

        if (!line)
            return CP_ENOMEM;
        u->warnings[u->n_warnings++] = line;
    }
    return CP_OK;
}

enum cp_status cp_label_units_init(struct cp_label_units *u,
                                   struct cp_profile *p, struct cp_error *err)
{
    uint32_t n_keys = p->strings.n;
    struct others others = { 0 };
    enum cp_status status = CP_OK;

    *u = (struct cp_label_units){ 0 };
    u->unit = cp_arena_alloc(&u->arena, n_keys, sizeof(*u->unit), err);
    if (!u->unit || cp_strtab_init(&others.known, &u->arena, 0, err) != CP_OK)
        return CP_ENOMEM;
    memset(u->unit, 0xff, n_keys * sizeof(*u->unit));
    for (uint32_t i = 0; status == CP_OK && i < p->n_labels; i++)
        if (p->labels[i].str == CP_NONE)
            status = note_label(u, p, &p->labels[i], &others, err);
    if (status == CP_OK)
        status = infer_units(u, p, n_keys, err);
    if (status == CP_OK)
        status = make_warnings(u, p, &others, err);
    cp_free(others.list);
    return status;
}

void cp_label_units_release(struct cp_label_units *u)
{
    cp_arena_release(&u->arena);
    *u = (struct cp_label_units){ 0 };
}
