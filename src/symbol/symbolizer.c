/* symbolizer.c - batches of addresses through the tables of a file. */
#include "symbol/symbolizer.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "elf/elf_file.h"
#include "symbol/symtab.h"

struct cp_symbolizer {
    struct cp_elf *elf;
    struct cp_symbolizer_options options;
    struct cp_arena frames;
    const char *reason;
};

/* An address and where it stood in the caller's list. */
struct asked {
    uint64_t address;
    size_t index;
};

enum cp_status cp_symbolizer_open(struct cp_symbolizer **out, const char *path,
                                  const struct cp_symbolizer_options *options,
                                  struct cp_error *err)
{
    struct cp_symbolizer *s = cp_alloc(1, sizeof(*s), err);
    enum cp_status status;

    if (!s)
        return CP_ENOMEM;
    if (options)
        s->options = *options;
    status = cp_elf_open(&s->elf, path, err);
    if (status != CP_OK) {
        cp_free(s);
        return status;
    }
    *out = s;
    return CP_OK;
}

static int by_address(const void *a, const void *b)
{
    const struct asked *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

enum cp_status cp_symbolizer_resolve(struct cp_symbolizer *s,
                                     const uint64_t *addresses, size_t n,
                                     cp_symbol_sink *sink, void *context,
                                     struct cp_error *err)
{
    struct asked *asked = cp_alloc(n, sizeof(*asked), err);
    uint64_t *sorted = cp_alloc(n, sizeof(*sorted), err);
    struct cp_symtab_hit *hits = cp_alloc(n, sizeof(*hits), err);
    enum cp_status status = CP_ENOMEM;

    if (!asked || !sorted || !hits)
        goto out;
    for (size_t i = 0; i < n; i++)
        asked[i] = (struct asked){ addresses[i], i };
    qsort(asked, n, sizeof(*asked), by_address);
    for (size_t i = 0; i < n; i++)
        sorted[i] = asked[i].address;
    cp_symtab_find(s->elf, sorted, n, hits);
    for (size_t i = 0; i < n; i++) {
        struct cp_symbol_frame *frame =
            cp_arena_alloc(&s->frames, 1, sizeof(*frame), err);

        if (!frame)
            goto out;
        frame->function = hits[i].name;
        sink(context, asked[i].index, frame, hits[i].name ? 1 : 0);
    }
    status = CP_OK;
out:
    cp_free(asked);
    cp_free(sorted);
    cp_free(hits);
    return status;
}

void cp_symbolizer_forget(struct cp_symbolizer *s)
{
    cp_arena_release(&s->frames);
}

const char *cp_symbolizer_reason(const struct cp_symbolizer *s)
{
    return s->reason;
}

struct cp_elf *cp_symbolizer_elf(struct cp_symbolizer *s)
{
    return s->elf;
}

void cp_symbolizer_close(struct cp_symbolizer *s)
{
    if (!s)
        return;
    cp_arena_release(&s->frames);
    cp_elf_close(s->elf);
    cp_free(s);
}
