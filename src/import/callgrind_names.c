/* callgrind_names.c - resolves numbered names. */
#include "import/callgrind_names.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/index.h"

static enum cp_status add(struct cp_callgrind_names *list, uint64_t hash,
                          uint64_t number, struct cp_text name,
                          struct cp_error *err)
{
    if (cp_reserve(&list->numbers, &list->cap_numbers, (size_t)list->n + 1,
                   sizeof(*list->numbers), err) != CP_OK ||
        cp_reserve(&list->names, &list->cap_names, (size_t)list->n + 1,
                   sizeof(*list->names), err) != CP_OK ||
        cp_table_add(&list->table, hash, list->n, err) != CP_OK)
        return CP_ENOMEM;
    list->numbers[list->n] = number;
    list->names[list->n++] = name;
    return CP_OK;
}

/* Looks up the name of a number, or stores the given name for it. */
static enum cp_status resolve(struct cp_callgrind_names *list, uint64_t number,
                              struct cp_text *name, struct cp_error *err)
{
    uint64_t hash = cp_hash_mix(number, 1);
    bool is_given = name->pos < name->end;
    size_t probe = 0;
    uint32_t i;

    while ((i = cp_table_next(&list->table, hash, &probe)) != CP_NONE)
        if (list->numbers[i] == number)
            break;
    if (i == CP_NONE && !is_given)
        return cp_error_set(err, CP_EFORMAT,
                            "a name number is used before its definition");
    if (i == CP_NONE)
        return add(list, hash, number, *name, err);
    if (is_given)
        list->names[i] = *name;
    else
        *name = list->names[i];
    return CP_OK;
}

enum cp_status cp_callgrind_names_read(struct cp_callgrind_names *list,
                                       struct cp_text text, struct cp_text *out,
                                       struct cp_error *err)
{
    struct cp_text rest = text, digits;
    int64_t number;

    *out = cp_text_trim(text);
    if (!cp_text_consume(&rest, "(") ||
        !cp_text_consume_digits(&rest, &digits) ||
        !cp_text_consume(&rest, ")") || !cp_text_to_int(digits, &number))
        return CP_OK;
    *out = cp_text_trim(rest);
    return resolve(list, (uint64_t)number, out, err);
}

void cp_callgrind_names_release(struct cp_callgrind_names *list)
{
    cp_table_release(&list->table);
    cp_free(list->numbers);
    cp_free(list->names);
}
