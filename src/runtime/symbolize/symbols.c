/* symbols.c - opens symbolizers of files and of the vDSO; evicts old ones. */
#include "runtime/symbolize/symbols.h"

#include <string.h>

#include "base/alloc.h"
#include "base/proc_self.h"
#include "runtime/os/read_memory.h"
#include "runtime/symbolize/mappings.h"
#include "symbol/symbolizer.h"

#define MAX_OPEN 64
#define MAX_IMAGE_BYTES ((size_t)1 << 20) /* larger than any vDSO */

struct entry {
    char *path;
    uint8_t build_id[CP_BUILD_ID_BYTES];
    size_t build_id_len;
    struct cp_symbolizer *symbolizer; /* NULL if it could not be opened */
    uint8_t *image;                   /* copy of the vDSO, or NULL */
    uint64_t used;                    /* value of the clock at the last use */
};

struct cp_symbols {
    struct entry entries[MAX_OPEN];
    size_t n;       /* entries in use */
    uint64_t clock; /* counts uses */
};

struct cp_symbols *cp_symbols_new(struct cp_error *err)
{
    return cp_alloc(1, sizeof(struct cp_symbols), err);
}

static void release(struct entry *e)
{
    cp_symbolizer_close(e->symbolizer);
    cp_free(e->image);
    cp_free(e->path);
    *e = (struct entry){ 0 };
}

void cp_symbols_close(struct cp_symbols *s)
{
    while (s->n > 0)
        release(&s->entries[--s->n]);
}

void cp_symbols_free(struct cp_symbols *s)
{
    if (s)
        cp_symbols_close(s);
    cp_free(s);
}

size_t cp_symbols_count(const struct cp_symbols *s)
{
    return s->n;
}

static bool has_key(const struct entry *e, const struct cp_mapped_file *f)
{
    return e->build_id_len == f->build_id_len &&
           memcmp(e->build_id, f->build_id, f->build_id_len) == 0 &&
           strcmp(e->path, f->path) == 0;
}

/* Returns a free entry; evicts the least recently used one if none is free. */
static struct entry *alloc_entry(struct cp_symbols *s)
{
    struct entry *oldest = &s->entries[0];

    if (s->n < MAX_OPEN)
        return &s->entries[s->n++];
    for (size_t i = 1; i < s->n; i++)
        if (s->entries[i].used < oldest->used)
            oldest = &s->entries[i];
    release(oldest);
    return oldest;
}

/* Length of an object without a file (the vDSO); 0 if it is too large. */
static size_t image_len(const struct cp_mappings *m, uint32_t file)
{
    uint64_t len = 0;

    for (size_t i = 0; i < m->n_maps; i++) {
        const struct cp_map *map = &m->maps[i];
        uint64_t end = map->offset + (map->limit - map->start);

        if (map->file == file && end > len)
            len = end;
    }
    return len <= MAX_IMAGE_BYTES ? (size_t)len : 0;
}

/* Opens a symbolizer on a copy of the mapped object; unreadable bytes are 0. */
static struct cp_symbolizer *
open_image(const struct cp_mappings *m, uint32_t file,
           const struct cp_symbolizer_options *options, uint8_t **out_image)
{
    size_t len = image_len(m, file);
    uint8_t *image = len ? cp_alloc(len, 1, NULL) : NULL;
    struct cp_symbolizer *out = NULL;

    for (size_t i = 0; image && i < m->n_maps; i++) {
        const struct cp_map *map = &m->maps[i];

        if (map->file == file)
            (void)cp_read_memory((uintptr_t)map->start, image + map->offset,
                                 map->limit - map->start);
    }
    if (image && cp_symbolizer_view(&out, image, len, options, NULL) != CP_OK)
        out = NULL;
    *out_image = image;
    return out;
}

static struct cp_symbolizer *open_file(const struct cp_mappings *m,
                                       uint32_t file, uint8_t **out_image)
{
    const struct cp_mapped_file *f = &m->files[file];
    struct cp_symbolizer_options options = { .build_id = f->build_id,
                                             .build_id_len = f->build_id_len };
    struct cp_symbolizer *out = NULL;
    char self[CP_PROC_SELF_BYTES];

    if (f->path[0] != '/')
        return open_image(m, file, &options, out_image);
    if (!f->is_deleted &&
        cp_symbolizer_open(&out, f->path, &options, NULL) == CP_OK)
        return out;
    if (file == m->main_file && /* readable even if its name is deleted */
        cp_symbolizer_open(&out, cp_proc_self("exe", self), &options, NULL) ==
            CP_OK)
        return out;
    return NULL;
}

struct cp_symbolizer *cp_symbols_open(struct cp_symbols *s,
                                      const struct cp_mappings *m,
                                      uint32_t file)
{
    const struct cp_mapped_file *f = &m->files[file];
    struct entry *e;
    char *path;

    for (size_t i = 0; i < s->n; i++)
        if (has_key(&s->entries[i], f)) {
            s->entries[i].used = ++s->clock;
            return s->entries[i].symbolizer;
        }
    path = cp_alloc(strlen(f->path) + 1, 1, NULL);
    if (!path)
        return NULL;
    strcpy(path, f->path);
    e = alloc_entry(s);
    *e = (struct entry){ .path = path,
                         .build_id_len = f->build_id_len,
                         .used = ++s->clock };
    e->symbolizer = open_file(m, file, &e->image);
    memcpy(e->build_id, f->build_id, f->build_id_len);
    return e->symbolizer;
}

void cp_symbols_release_frames(struct cp_symbols *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->entries[i].symbolizer)
            cp_symbolizer_drop_frames(s->entries[i].symbolizer);
}
