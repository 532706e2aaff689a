/*
 * jit_map.c - looks each line of the map up among the sorted addresses.
 *
 * The file may be large and the addresses are few, so there is no table of the
 * lines.
 */
#include "runtime/symbolize/jit_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/out.h"
#include "base/search.h"
#include "base/sort.h"
#include "runtime/os/proc_file.h"

#define MAX_MAP_BYTES ((size_t)64 << 20)

struct wanted {
    struct cp_sort_pair *pairs; /* address and index, sorted by address */
    const char **names;         /* one per pair, or NULL */
    size_t n;
};

static void read_line(char *line, const struct wanted *w)
{
    char *at, *name;
    uint64_t start = strtoull(line, &at, 16), size;

    if (at == line || *at != ' ')
        return;
    size = strtoull(at + 1, &name, 16);
    if (name == at + 1 || *name != ' ' || name[1] == '\0')
        return;
    for (size_t i = cp_search_from(w->pairs, sizeof(*w->pairs), w->n, start);
         i < w->n && w->pairs[i].key - start < size; i++)
        w->names[i] = name + 1;
}

void cp_jit_map_resolve_text(char *text, const uint64_t *addresses, size_t n,
                             cp_jit_sink *sink, void *context)
{
    struct cp_arena arena = { 0 };
    struct wanted w = { cp_arena_alloc(&arena, n, sizeof(*w.pairs), NULL),
                        cp_arena_alloc(&arena, n, sizeof(*w.names), NULL), n };
    char *line, *rest;

    for (size_t i = 0; w.pairs && i < n; i++)
        w.pairs[i] = (struct cp_sort_pair){ addresses[i], i };
    if (!w.pairs || !w.names || cp_sort_pairs(w.pairs, n, NULL) != CP_OK)
        w.n = 0; /* no memory: the sink is not called */
    line = strtok_r(text, "\n", &rest);
    for (; line; line = strtok_r(NULL, "\n", &rest))
        read_line(line, &w);
    for (size_t i = 0; i < w.n; i++)
        sink(context, w.pairs[i].value, w.names[i]);
    cp_arena_release(&arena);
}

void cp_jit_map_resolve(const uint64_t *addresses, size_t n, cp_jit_sink *sink,
                        void *context)
{
    struct cp_out text = { .fd = -1 };
    char path[64], nothing[] = "";
    bool is_read;

    (void)snprintf(path, sizeof(path), "/tmp/perf-%ld.map", (long)getpid());
    is_read = cp_proc_file_read_own(path, MAX_MAP_BYTES, &text, NULL) == CP_OK;
    cp_out_char(&text, '\0');
    if (!is_read || text.err.status != CP_OK)
        cp_jit_map_resolve_text(nothing, addresses, n, sink, context);
    else
        cp_jit_map_resolve_text(text.buf, addresses, n, sink, context);
    cp_out_release(&text);
}
