/*
 * dwarf_split.c - opens .dwo and .dwp files.
 *
 * The index of a .dwp file (.debug_cu_index), numbers of 4 bytes:
 *   version (5: 2 bytes and 2 of padding), columns, units, slots
 *   slots x id (8)         hash table: id & mask, step from the high half
 *   slots x row            0 if free
 *   columns x kind         section of the column
 *   units x columns x offset
 *   units x columns x length
 */
#include "symbol/dwarf/dwarf_split.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "symbol/dwarf/dwarf_file.h"
#include "symbol/dwarf/dwarf_names.h"
#include "symbol/dwarf/dwarf_worker.h"

#define BUCKETS 256

/* The sections of a unit: a .dwo file, or slices of the .dwp file. */
struct part {
    struct part *next;
    uint64_t id;
    struct cp_elf *elf;           /* the .dwo file, or NULL */
    struct cp_dwarf_file file;    /* sections of the .dwo file */
    struct cp_dwarf slice;        /* slices of the .dwp file */
    const struct cp_dwarf *dwarf; /* NULL if the file is missing */
};

struct cp_split {
    pthread_mutex_t lock;
    struct part *buckets[BUCKETS];
    const struct cp_elf *of;    /* the program; borrowed, or NULL */
    struct cp_elf *package_elf; /* the .dwp file, or NULL */
    struct cp_dwarf_file package;
    char path[PATH_MAX];    /* path of the program */
    char missing[PATH_MAX]; /* path of a missing file, or "" */
};

struct cp_split *cp_split_new(const char *path, const struct cp_elf *of,
                              struct cp_error *err)
{
    struct cp_split *s = cp_alloc(1, sizeof(*s), err);
    char package[PATH_MAX];

    if (!s)
        return NULL;
    (void)pthread_mutex_init(&s->lock, NULL);
    s->of = of;
    if (!path)
        return s;
    (void)snprintf(s->path, sizeof(s->path), "%s", path);
    if (snprintf(package, sizeof(package), "%s.dwp", path) < PATH_MAX &&
        cp_elf_open_beside(&s->package_elf, package, of, NULL) == CP_OK)
        (void)cp_dwarf_file_load(&s->package, s->package_elf, true, false,
                                 NULL);
    return s;
}

static void free_part(struct part *p)
{
    cp_dwarf_file_release(&p->file);
    cp_elf_close(p->elf);
    if (p->dwarf == &p->slice)
        cp_dwarf_release(&p->slice);
    cp_free(p);
}

void cp_split_free(struct cp_split *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < BUCKETS; i++)
        while (s->buckets[i]) {
            struct part *p = s->buckets[i];

            s->buckets[i] = p->next;
            free_part(p);
        }
    cp_dwarf_file_release(&s->package);
    cp_elf_close(s->package_elf);
    (void)pthread_mutex_destroy(&s->lock);
    cp_free(s);
}

void cp_split_drop(struct cp_split *s)
{
    cp_dwarf_file_drop(&s->package);
    for (size_t i = 0; i < BUCKETS; i++)
        for (const struct part *p = s->buckets[i]; p; p = p->next)
            cp_dwarf_file_drop(&p->file);
}

/* The header of the index, and its tables. */
struct index {
    uint64_t version, n_columns, n_units, n_slots;
    struct cp_cursor ids, rows, kinds, offsets, lengths;
};

static bool read_index(const struct cp_dwarf *d, struct index *x)
{
    struct cp_cursor c = cp_dwarf_at(d, CP_DWARF_CU_INDEX, 0);

    x->version = cp_cursor_uint(&c, 4) & 0xffff;
    x->n_columns = cp_cursor_uint(&c, 4);
    x->n_units = cp_cursor_uint(&c, 4);
    x->n_slots = cp_cursor_uint(&c, 4);
    x->ids = cp_cursor_part(&c, x->n_slots * 8);
    x->rows = cp_cursor_part(&c, x->n_slots * 4);
    x->kinds = cp_cursor_part(&c, x->n_columns * 4);
    x->offsets = cp_cursor_part(&c, x->n_units * x->n_columns * 4);
    x->lengths = cp_cursor_part(&c, x->n_units * x->n_columns * 4);
    return !c.failed && x->n_slots > 0 && (x->n_slots & (x->n_slots - 1)) == 0;
}

/* Returns number i of a table whose numbers have `size` bytes. */
static uint64_t number_at(const struct cp_cursor *table, uint64_t i,
                          unsigned size)
{
    struct cp_cursor c = *table;

    cp_cursor_skip(&c, i * size);
    return cp_cursor_uint(&c, size);
}

/* Returns the row of an id, from 1; 0 if it is not in the index. */
static uint64_t find_row(const struct index *x, uint64_t id)
{
    uint64_t mask = x->n_slots - 1, at = id & mask;
    uint64_t step = ((id >> 32) & mask) | 1;

    for (uint64_t i = 0; i < x->n_slots; i++, at = (at + step) & mask) {
        uint64_t row = number_at(&x->rows, at, 4);

        if (row == 0)
            return 0;
        if (number_at(&x->ids, at, 8) == id)
            return row <= x->n_units ? row : 0;
    }
    return 0;
}

/* Returns the section of a column; CP_DWARF_PARTS if it is not used. */
static enum cp_dwarf_part part_of_kind(uint64_t kind, uint64_t version)
{
    switch (kind) {
    case DW_SECT_INFO:
        return CP_DWARF_INFO;
    case DW_SECT_ABBREV:
        return CP_DWARF_ABBREV;
    case DW_SECT_LINE:
        return CP_DWARF_LINE;
    case DW_SECT_STR_OFFSETS:
        return CP_DWARF_STR_OFFSETS;
    case DW_SECT_RNGLISTS:
        return version >= 5 ? CP_DWARF_RNGLISTS : CP_DWARF_PARTS;
    default:
        return CP_DWARF_PARTS;
    }
}

/* Finds the slices of a unit in the .dwp file. */
static bool slice_package(const struct cp_dwarf *package, struct part *p)
{
    struct index x;
    uint64_t row;

    if (!read_index(package, &x) || (row = find_row(&x, p->id)) == 0)
        return false;
    cp_dwarf_init(&p->slice);
    p->slice.is_split = true;
    p->slice.part[CP_DWARF_STR] = package->part[CP_DWARF_STR];
    for (uint64_t i = 0; i < x.n_columns; i++) {
        uint64_t at = (row - 1) * x.n_columns + i;
        uint64_t offset = number_at(&x.offsets, at, 4);
        uint64_t len = number_at(&x.lengths, at, 4);
        enum cp_dwarf_part to =
            part_of_kind(number_at(&x.kinds, i, 4), x.version);

        if (to == CP_DWARF_PARTS || offset > package->part[to].len ||
            len > package->part[to].len - offset)
            continue;
        p->slice.part[to].data = package->part[to].data + offset;
        p->slice.part[to].len = (size_t)len;
        p->slice.part[to].elf = package->part[to].elf;
    }
    p->dwarf = &p->slice;
    return true;
}

/* Opens a .dwo file; false if it does not exist. */
static bool try_open(struct cp_split *s, struct part *p, const char *path)
{
    if (cp_elf_open_beside(&p->elf, path, s->of, NULL) != CP_OK)
        return false;
    (void)cp_dwarf_file_load(&p->file, p->elf, true, false, NULL);
    p->dwarf = &p->file.dwarf;
    return true;
}

/*
 * Tries the path that the compiler recorded, then the directory of the program.
 */
static bool open_dwo(struct cp_split *s, struct part *p,
                     const struct cp_dwarf_unit *skeleton)
{
    const char *name = skeleton->dwo_name, *base = strrchr(name, '/');
    const char *dir = name[0] == '/' ? NULL : skeleton->comp_dir;
    const char *slash = strrchr(s->path, '/');
    char path[PATH_MAX];
    int n = snprintf(path, sizeof(path), "%s%s%s", dir ? dir : "",
                     dir ? "/" : "", name);

    if (n > 0 && n < PATH_MAX && try_open(s, p, path))
        return true;
    n = snprintf(path, sizeof(path), "%.*s%s",
                 slash ? (int)(slash - s->path) + 1 : 0, s->path,
                 base ? base + 1 : name);
    return n > 0 && n < PATH_MAX && try_open(s, p, path);
}

/* Returns the sections of an id; opens them on first use. */
static const struct cp_dwarf *find_part(struct cp_split *s,
                                        const struct cp_dwarf_unit *skeleton)
{
    struct part **bucket =
        &s->buckets[cp_hash_unique(skeleton->dwo_id) % BUCKETS];
    struct part *p = *bucket;

    while (p && p->id != skeleton->dwo_id)
        p = p->next;
    if (p)
        return p->dwarf;
    p = cp_alloc(1, sizeof(*p), NULL);
    if (!p)
        return NULL;
    p->id = skeleton->dwo_id;
    if (!(s->package_elf && slice_package(&s->package.dwarf, p)) &&
        !open_dwo(s, p, skeleton) && !s->missing[0])
        (void)snprintf(s->missing, sizeof(s->missing), "%s",
                       skeleton->dwo_name);
    p->next = *bucket;
    *bucket = p;
    return p->dwarf;
}

/* Reads a unit's root; false if it is not the unit of the skeleton. */
static bool is_unit_of(struct cp_worker *w, const struct cp_dwarf *d,
                       uint64_t offset, const struct cp_dwarf_unit *skeleton,
                       struct cp_dwarf_unit *out)
{
    struct cp_dwarf_unit u;

    if (!cp_dwarf_unit_read(d, offset, &u) || u.type == DW_UT_split_type)
        return false;
    u.skeleton = skeleton->dwarf;
    u.addr_base = skeleton->addr_base;
    u.ranges_base = skeleton->ranges_base;
    u.low_pc = skeleton->low_pc;
    if (!cp_worker_root(w, &u, NULL) || u.dwo_id != skeleton->dwo_id)
        return false;
    u.low_pc = skeleton->low_pc;
    u.comp_dir = skeleton->comp_dir;
    *out = u;
    return true;
}

bool cp_split_unit(struct cp_split *s, struct cp_worker *w,
                   const struct cp_dwarf_unit *skeleton,
                   struct cp_dwarf_unit *out)
{
    const struct cp_dwarf *d;
    const struct cp_dwarf_units *units;

    if (!s->path[0])
        return false;
    (void)pthread_mutex_lock(&s->lock);
    d = find_part(s, skeleton);
    (void)pthread_mutex_unlock(&s->lock);
    units = d ? cp_dwarf_unit_list(d) : NULL;
    for (size_t i = 0; units && i < units->n; i++)
        if (is_unit_of(w, d, units->offsets[i], skeleton, out))
            return true;
    return false;
}

const char *cp_split_missing(const struct cp_split *s)
{
    return s->missing[0] ? s->missing : NULL;
}
