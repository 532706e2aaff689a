/* object.c - opens a file's symbolizer, routines and disassembler on demand. */
#include "symbol/object.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hex.h"
#include "elf/elf_file.h"
#include "symbol/code/disasm.h"
#include "symbol/symbolizer.h"
#include "symbol/table/routines.h"

#define MAX_PATH 4096

struct cp_object {
    struct cp_symbolizer *symbolizer;
    struct cp_symbolizer *debug; /* symbolizer of the debug file, or NULL */
    struct cp_routines routines;
    struct cp_disasm *disasm; /* NULL until first used */
    bool is_intel;
    struct cp_arena arena;

    /* Output of the disassembly in progress: */
    struct cp_object_insn *insns;
    size_t n, cap;
    enum cp_status status;
    struct cp_error *err;
};

void cp_object_build_id(const struct cp_elf *e, char *out)
{
    const uint8_t *id;
    size_t n = cp_elf_build_id(e, &id);

    if (n > (CP_BUILD_ID_TEXT - 1) / 2)
        n = (CP_BUILD_ID_TEXT - 1) / 2;
    cp_hex_text(id, n, out);
}

/* Opens the debug file if the usual directories have none. */
static void open_debug(struct cp_object *o, const char *path, const char *id,
                       const struct cp_object_options *options)
{
    struct cp_symbolizer_options how = { .is_parallel = true };
    const char *slash = strrchr(path, '/');
    char found[MAX_PATH];

    if (options->find_debug && *id && cp_symbolizer_reason(o->symbolizer) &&
        options->find_debug(options->context, id, slash ? slash + 1 : path,
                            found, sizeof(found)))
        (void)cp_symbolizer_open(&o->debug, found, &how, NULL);
}

static struct cp_object *fail(struct cp_object *o)
{
    cp_object_free(o);
    return NULL;
}

struct cp_object *cp_object_new(const char *path,
                                const struct cp_object_options *options,
                                struct cp_error *err)
{
    struct cp_symbolizer_options how = { .is_parallel = true };
    struct cp_object *o = cp_alloc(1, sizeof(*o), err);
    char id[CP_BUILD_ID_TEXT];
    struct cp_elf *e, *debug;

    if (!o || cp_symbolizer_open(&o->symbolizer, path, &how, err) != CP_OK)
        return fail(o);
    e = cp_symbolizer_elf(o->symbolizer);
    cp_object_build_id(e, id);
    if (*options->build_id && *id && strcmp(id, options->build_id) != 0) {
        (void)cp_error_set(err, CP_EFORMAT, "build ID mismatch");
        return fail(o);
    }
    o->is_intel = options->is_intel;
    open_debug(o, path, id, options);
    debug = o->debug ? cp_symbolizer_elf(o->debug)
                     : cp_symbolizer_debug_elf(o->symbolizer);
    if (cp_routines_init(&o->routines, e, debug, err) != CP_OK)
        return fail(o);
    return o;
}

void cp_object_free(struct cp_object *o)
{
    if (!o)
        return;
    cp_disasm_free(o->disasm);
    cp_routines_release(&o->routines);
    cp_symbolizer_close(o->debug);
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
        status = cp_symbolizer_resolve(o->debug ? o->debug : o->symbolizer,
                                       addresses, o->n, on_frames, o, o->err);
    cp_free(addresses);
    return status;
}

static enum cp_status decode(struct cp_object *o,
                             struct cp_object_range *ranges, size_t n)
{
    size_t first = 0;

    for (size_t i = 0; i < n; i++) {
        enum cp_status status = cp_disasm_run(
            o->disasm, ranges[i].start, ranges[i].end, on_insn, o, o->err);

        if (status == CP_OK)
            status = o->status;
        if (status != CP_OK)
            return status;
        ranges[i].n = o->n - first;
        first = o->n;
    }
    return CP_OK;
}

enum cp_status cp_object_read(struct cp_object *o,
                              struct cp_object_range *ranges, size_t n,
                              struct cp_error *err)
{
    struct cp_object_insn *insns;
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
    status = decode(o, ranges, n);
    if (status == CP_OK)
        status = find_lines(o);
    insns = o->insns;
    for (size_t i = 0; status == CP_OK && i < n; i++) {
        ranges[i].insns = insns;
        insns += ranges[i].n;
    }
    return status;
}

void cp_object_drop(struct cp_object *o)
{
    cp_symbolizer_drop_frames(o->debug ? o->debug : o->symbolizer);
    cp_arena_release(&o->arena);
    o->insns = NULL;
    o->n = o->cap = 0;
}
