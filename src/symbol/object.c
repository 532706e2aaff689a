/* object.c - see object.h. */
#include "symbol/object.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "symbol/disasm.h"

#define MOST_ID 64

struct cp_object {
    struct cp_symbolizer *symbolizer;
    struct cp_routines routines;
    struct cp_disasm *disasm; /* NULL until code is asked for */
    bool is_intel;
    struct cp_arena arena;

    /* While instructions are read: */
    struct cp_object_insn *insns;
    size_t n, cap;
    enum cp_status status;
    struct cp_error *err;
};

static bool has_build_id(const struct cp_elf *e, const char *wanted)
{
    const uint8_t *id;
    size_t n = cp_elf_build_id(e, &id);
    char text[2 * MOST_ID + 1] = "";

    for (size_t i = 0; i < n && i < MOST_ID; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", id[i]);
    return *wanted == '\0' || n == 0 || strcmp(text, wanted) == 0;
}

struct cp_object *cp_object_new(const char *path, const char *build_id,
                                bool is_intel, struct cp_error *err)
{
    struct cp_symbolizer_options options = { .is_parallel = true };
    struct cp_object *o = cp_alloc(1, sizeof(*o), err);
    struct cp_elf *e;

    if (!o)
        return NULL;
    o->is_intel = is_intel;
    if (cp_symbolizer_open(&o->symbolizer, path, &options, err) != CP_OK) {
        cp_free(o);
        return NULL;
    }
    e = cp_symbolizer_elf(o->symbolizer);
    if (!has_build_id(e, build_id))
        (void)cp_error_set(err, CP_EFORMAT, "build ID mismatch");
    else if (cp_routines_init(&o->routines, e,
                              cp_symbolizer_debug_elf(o->symbolizer),
                              err) == CP_OK)
        return o;
    cp_object_free(o);
    return NULL;
}

void cp_object_free(struct cp_object *o)
{
    if (!o)
        return;
    cp_disasm_free(o->disasm);
    cp_routines_release(&o->routines);
    cp_symbolizer_close(o->symbolizer);
    cp_arena_release(&o->arena);
    cp_free(o);
}

struct cp_address_map cp_object_map(const struct cp_object *o,
                                    struct cp_address_range range,
                                    const char *name)
{
    struct cp_address_map map;

    cp_address_map_init(&map, cp_symbolizer_elf(o->symbolizer), range, name);
    return map;
}

const struct cp_routines *cp_object_routines(const struct cp_object *o)
{
    return &o->routines;
}

static void on_insn(void *context, uint64_t address, size_t size,
                    const char *text)
{
    struct cp_object *o = context;

    if (o->status != CP_OK)
        return;
    o->status = cp_arena_reserve(&o->arena, &o->insns, o->n, &o->cap, o->n + 1,
                                 sizeof(*o->insns), o->err);
    if (o->status != CP_OK)
        return;
    text = cp_arena_copy(&o->arena, text, strlen(text), o->err);
    if (!text)
        o->status = CP_ENOMEM;
    else
        o->insns[o->n++] = (struct cp_object_insn){ .address = address,
                                                    .size = size,
                                                    .text = text };
}

static void on_frames(void *context, size_t index,
                      const struct cp_symbol_frame *frames, size_t n)
{
    struct cp_object *o = context;

    o->insns[index].frames = frames;
    o->insns[index].n_frames = n;
}

static enum cp_status find_lines(struct cp_object *o)
{
    uint64_t *addresses = cp_alloc(o->n, sizeof(*addresses), o->err);
    enum cp_status status = addresses ? CP_OK : CP_ENOMEM;

    for (size_t i = 0; addresses && i < o->n; i++)
        addresses[i] = o->insns[i].address;
    if (status == CP_OK)
        status = cp_symbolizer_resolve(o->symbolizer, addresses, o->n,
                                       on_frames, o, o->err);
    cp_free(addresses);
    return status;
}

enum cp_status cp_object_read(struct cp_object *o, uint64_t start, uint64_t end,
                              struct cp_object_insn **out, size_t *out_n,
                              struct cp_error *err)
{
    enum cp_status status;

    if (!o->disasm)
        o->disasm = cp_disasm_new(cp_symbolizer_elf(o->symbolizer),
                                  &o->routines, o->is_intel, err);
    if (!o->disasm)
        return CP_EOTHER;
    o->insns = NULL;
    o->n = o->cap = 0;
    o->status = CP_OK;
    o->err = err;
    status = cp_disasm_run(o->disasm, start, end, on_insn, o, err);
    if (status == CP_OK)
        status = o->status;
    if (status == CP_OK)
        status = find_lines(o);
    *out = o->insns;
    *out_n = o->n;
    return status;
}
