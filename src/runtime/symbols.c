/* symbols.c - see symbols.h. */
#include "runtime/symbols.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/proc_self.h"

#define MAX_OPEN 64
#define IMAGE_BYTES ((size_t)1 << 20) /* more than any vDSO has */

struct entry {
    char *path;
    uint8_t build_id[CP_BUILD_ID_BYTES];
    size_t build_id_len;
    struct cp_symbolizer *symbolizer; /* NULL: it could not be opened */
    uint64_t used;                    /* when last, counted in requests */
};

struct cp_symbols {
    struct entry entries[MAX_OPEN];
    size_t n;
    uint64_t clock;
};

struct cp_symbols *cp_symbols_new(struct cp_error *err)
{
    return cp_alloc(1, sizeof(struct cp_symbols), err);
}

static void release(struct entry *e)
{
    cp_symbolizer_close(e->symbolizer);
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

static bool is_of(const struct entry *e, const struct cp_mapped_file *f)
{
    return e->build_id_len == f->build_id_len &&
           memcmp(e->build_id, f->build_id, f->build_id_len) == 0 &&
           strcmp(e->path, f->path) == 0;
}

/* An empty entry: a new one, or that of the file asked for longest ago. */
static struct entry *room(struct cp_symbols *s)
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

/* The vDSO is no file: its bytes are put into one that has no name. */
static struct cp_symbolizer *
open_image(const struct cp_mappings *m, uint32_t file,
           const struct cp_symbolizer_options *options)
{
    struct cp_symbolizer *out = NULL;
    char path[64];
    int fd = memfd_create("image", MFD_CLOEXEC);

    for (size_t i = 0; fd >= 0 && i < m->n_maps; i++) {
        const struct cp_map *map = &m->maps[i];
        size_t len = map->limit - map->start;
        ssize_t n;

        if (map->file != file || len > IMAGE_BYTES)
            continue;
        n = pwrite(fd, (const void *)(uintptr_t)map->start, len,
                   (off_t)map->offset);
        (void)n; /* cut short, it is a broken file like any other */
    }
    (void)snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", fd);
    if (fd >= 0 && cp_symbolizer_open(&out, path, options, NULL) != CP_OK)
        out = NULL;
    if (fd >= 0)
        (void)close(fd);
    return out;
}

static struct cp_symbolizer *open_file(const struct cp_mappings *m,
                                       uint32_t file)
{
    const struct cp_mapped_file *f = &m->files[file];
    struct cp_symbolizer_options options = { .build_id = f->build_id,
                                             .build_id_len = f->build_id_len };
    struct cp_symbolizer *out = NULL;
    char self[CP_PROC_SELF_BYTES];

    if (f->path[0] != '/')
        return open_image(m, file, &options);
    if (!f->is_deleted &&
        cp_symbolizer_open(&out, f->path, &options, NULL) == CP_OK)
        return out;
    if (file == m->main_file && /* there even if its name is gone */
        cp_symbolizer_open(&out, cp_proc_self("exe", self), &options, NULL) ==
            CP_OK)
        return out;
    return NULL;
}

struct cp_symbolizer *cp_symbols_of(struct cp_symbols *s,
                                    const struct cp_mappings *m, uint32_t file)
{
    const struct cp_mapped_file *f = &m->files[file];
    struct entry *e;
    char *path;

    for (size_t i = 0; i < s->n; i++)
        if (is_of(&s->entries[i], f)) {
            s->entries[i].used = ++s->clock;
            return s->entries[i].symbolizer;
        }
    path = cp_alloc(strlen(f->path) + 1, 1, NULL);
    if (!path)
        return NULL;
    strcpy(path, f->path);
    e = room(s);
    *e = (struct entry){ .path = path,
                         .build_id_len = f->build_id_len,
                         .symbolizer = open_file(m, file),
                         .used = ++s->clock };
    memcpy(e->build_id, f->build_id, f->build_id_len);
    return e->symbolizer;
}

void cp_symbols_forget(struct cp_symbols *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->entries[i].symbolizer)
            cp_symbolizer_forget(s->entries[i].symbolizer);
}
