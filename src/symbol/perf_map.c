/* perf_map.c - see perf_map.h. */
#include "symbol/perf_map.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"

#define MOST_BYTES ((size_t)1 << 30)
#define MOST_BACK 64 /* shorter functions that lie within a longer one */

struct entry {
    uint64_t start, size;
    const char *name;
    size_t number; /* of the line */
};

struct cp_perf_map {
    struct entry *entries; /* by start, then by line */
    size_t n, cap;
    struct cp_bytes bytes;
};

bool cp_perf_map_is_one(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t digits;

    if (strncmp(base, "perf-", 5) != 0)
        return false;
    digits = strspn(base + 5, "0123456789");
    return digits > 0 && strcmp(base + 5 + digits, ".map") == 0;
}

/* Reads a number and the white space behind it; NULL if there is none. */
static char *read_number(char *at, uint64_t *out)
{
    char *end;

    if (!isxdigit((unsigned char)*at))
        return NULL;
    *out = strtoull(at, &end, 16);
    if (*end != ' ' && *end != '\t')
        return NULL;
    while (*end == ' ' || *end == '\t')
        end++;
    return end;
}

static enum cp_status add_line(struct cp_perf_map *m, char *line, size_t number,
                               struct cp_error *err)
{
    struct entry e = { .number = number };
    char *at = read_number(line, &e.start);

    at = at ? read_number(at, &e.size) : NULL;
    if (!at || *at == '\0' || e.size == 0)
        return CP_OK;
    if (cp_reserve(&m->entries, &m->cap, m->n + 1, sizeof(*m->entries), err) !=
        CP_OK)
        return CP_ENOMEM;
    e.name = at;
    m->entries[m->n++] = e;
    return CP_OK;
}

static int by_start(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

enum cp_status cp_perf_map_read(struct cp_perf_map **out, char *text,
                                size_t len, struct cp_error *err)
{
    struct cp_perf_map *m = cp_alloc(1, sizeof(*m), err);
    char *end = text + len, *next;
    enum cp_status status = m ? CP_OK : CP_ENOMEM;
    size_t number = 0;

    for (char *line = text; status == CP_OK && line < end; line = next) {
        char *stop = memchr(line, '\n', (size_t)(end - line));

        if (!stop)
            break; /* still being written */
        *stop = '\0';
        if (stop > line && stop[-1] == '\r')
            stop[-1] = '\0';
        next = stop + 1;
        status = add_line(m, line, number++, err);
    }
    if (status != CP_OK) {
        cp_perf_map_close(m);
        return status;
    }
    if (m->n > 0)
        qsort(m->entries, m->n, sizeof(*m->entries), by_start);
    *out = m;
    return CP_OK;
}

enum cp_status cp_perf_map_open(struct cp_perf_map **out, const char *path,
                                struct cp_error *err)
{
    struct cp_bytes bytes = { 0 };
    enum cp_status status = cp_bytes_read_file(&bytes, path, MOST_BYTES, err);

    if (status == CP_OK)
        status = cp_perf_map_read(out, (char *)bytes.data, bytes.len, err);
    if (status == CP_OK)
        (*out)->bytes = bytes;
    else
        cp_bytes_release(&bytes);
    return status;
}

const char *cp_perf_map_find(const struct cp_perf_map *m, uint64_t address)
{
    const struct entry *best = NULL;
    size_t low = 0, high = m->n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (m->entries[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = 0; i < MOST_BACK && i < low; i++) {
        const struct entry *e = &m->entries[low - 1 - i];

        if (address - e->start < e->size && (!best || e->number > best->number))
            best = e;
    }
    return best ? best->name : NULL;
}

void cp_perf_map_close(struct cp_perf_map *m)
{
    if (!m)
        return;
    cp_free(m->entries);
    cp_bytes_release(&m->bytes);
    cp_free(m);
}
