/* address_stack.c - parses addresses and turns them into samples. */
#include "profile/model/address_stack.h"

#include <string.h>

#include "base/alloc.h"
#include "base/index.h"
#include "profile/model/build.h"

void cp_address_stack_release(struct cp_address_stack *s)
{
    cp_free(s->addresses);
    cp_free(s->locs);
    *s = (struct cp_address_stack){ 0 };
}

enum cp_status cp_address_stack_push(struct cp_address_stack *s,
                                     uint64_t address, struct cp_error *err)
{
    if (s->n == CP_MAX_DEPTH)
        return cp_error_set(err, CP_EFORMAT, "a stack has more than %u frames",
                            CP_MAX_DEPTH);
    if (cp_reserve(&s->addresses, &s->cap, s->n + 1, sizeof(*s->addresses),
                   err) != CP_OK)
        return CP_ENOMEM;
    s->addresses[s->n++] = address;
    return CP_OK;
}

enum cp_status cp_address_stack_read(struct cp_address_stack *s,
                                     struct cp_text text, struct cp_text line,
                                     struct cp_error *err)
{
    struct cp_text digits;
    uint64_t address;

    while (cp_text_consume_address(&text, &digits)) {
        enum cp_status status;

        if (!cp_text_to_hex(digits, &address))
            return cp_error_set(err, CP_EFORMAT,
                                "malformed sample: %.*s: failed to parse as "
                                "hex 64-bit number: 0x%.*s",
                                CP_TEXT_ARG(line), CP_TEXT_ARG(digits));
        status = cp_address_stack_push(s, address, err);
        if (status != CP_OK)
            return status;
    }
    return CP_OK;
}

enum cp_status cp_address_stack_read_tail(struct cp_address_stack *s,
                                          struct cp_text tail,
                                          struct cp_text line,
                                          struct cp_error *err)
{
    struct cp_text list;

    s->n = 0;
    if (!cp_text_consume_set(&tail, " x0123456789abcdef", &list))
        return CP_OK;
    return cp_address_stack_read(s, list, line, err);
}

enum cp_status cp_address_stack_sample(struct cp_address_stack *s,
                                       struct cp_builder *b,
                                       const int64_t *values,
                                       uint32_t label_set, struct cp_error *err)
{
    if (cp_reserve(&s->locs, &s->cap_locs, s->n, sizeof(*s->locs), err) !=
        CP_OK)
        return CP_ENOMEM;
    for (size_t i = 0; i < s->n; i++) {
        bool is_return = s->returns == CP_RETURN_ALL ||
                         (s->returns == CP_RETURN_CALLERS && i > 0);

        s->locs[i] = cp_builder_location(b, s->addresses[i] - is_return, err);
        if (s->locs[i] == CP_NONE)
            return CP_ENOMEM;
    }
    return cp_builder_sample(b, s->locs, (uint32_t)s->n, values, label_set,
                             err);
}

void cp_drop_repeated_leaves(struct cp_profile *p)
{
    for (uint32_t i = 0; i < p->n_samples; i++) {
        struct cp_sample *sample = &p->samples[i];
        uint32_t *locs = cp_profile_stack(p, i);

        if (sample->n_locs < 2 ||
            p->locations[locs[0]].address != p->locations[locs[1]].address + 1)
            continue;
        sample->n_locs--;
        memmove(locs + 1, locs + 2, (sample->n_locs - 1) * sizeof(*locs));
    }
}
