/*
 * gen_profile - writes a synthetic profile with the shape of a real one.
 *
 *     gen_profile OUT SAMPLES FUNCTIONS SEED labels|plain
 *
 * Stacks are random walks over a fixed call graph, so they share long prefixes
 * as real stacks do. Every function has eight call sites. A walk takes site 0
 * half of the time, site 1 a quarter, and so on. The callee of a site is fixed
 * by a hash that favours low-numbered functions: a few are hot, most are rare.
 * Only the walks depend on SEED, not the graph, so profiles of different seeds
 * merge and subtract like runs of one program.
 *
 * The location of a frame is (function, call site); that of a leaf is
 * (function, one of four lines). Stacks are 20 to 60 deep. With labels, a
 * sample has a thread (16 values), an endpoint (200) and a size in bytes (12).
 * The same arguments give the same bytes.
 */
#include <libdeflate.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    N_SITES = 8,
    N_LEAVES = 4,
    N_PLACES = N_SITES + N_LEAVES, /* locations per function */
    MIN_DEPTH = 20,
    MAX_DEPTH = 60,
    N_THREADS = 16,
    N_ENDPOINTS = 200,
    N_SIZES = 12,
    FUNCTIONS_PER_FILE = 20,
};

/* Fixed strings, by index; numbered strings follow them. */
enum {
    STR_EMPTY,
    STR_SAMPLES,
    STR_COUNT,
    STR_CPU,
    STR_NANOSECONDS,
    STR_THREAD,
    STR_ENDPOINT,
    STR_BYTES,
    STR_BINARY,
    STR_FIRST_THREAD,
    STR_FIRST_ENDPOINT = STR_FIRST_THREAD + N_THREADS,
    STR_FIRST_FUNCTION = STR_FIRST_ENDPOINT + N_ENDPOINTS,
};

struct buf {
    uint8_t *data;
    size_t len, cap;
};

struct gen {
    uint64_t n_samples, n_functions;
    bool has_labels;
    uint64_t random; /* state of the random generator */
    bool *used;      /* by location */
    struct buf out, msg, sub;
};

static void die(const char *what)
{
    fprintf(stderr, "gen_profile: %s\n", what);
    exit(1);
}

static void put_raw(struct buf *b, const void *data, size_t len)
{
    if (b->len + len > b->cap) {
        b->cap = (b->len + len) * 2;
        b->data = realloc(b->data, b->cap);
        if (!b->data)
            die("out of memory");
    }
    memcpy(b->data + b->len, data, len);
    b->len += len;
}

static void put_varint(struct buf *b, uint64_t value)
{
    uint8_t bytes[10];
    size_t n = 0;

    for (; value >= 0x80; value >>= 7)
        bytes[n++] = (uint8_t)(value | 0x80);
    bytes[n++] = (uint8_t)value;
    put_raw(b, bytes, n);
}

static void put_int(struct buf *b, unsigned field, uint64_t value)
{
    put_varint(b, field << 3);
    put_varint(b, value);
}

static void put_bytes(struct buf *b, unsigned field, const void *data,
                      size_t len)
{
    put_varint(b, field << 3 | 2);
    put_varint(b, len);
    put_raw(b, data, len);
}

/* Adds part as a field of whole, and empties part. */
static void put_message(struct buf *whole, unsigned field, struct buf *part)
{
    put_bytes(whole, field, part->data, part->len);
    part->len = 0;
}

__attribute__((format(printf, 2, 3))) static void
put_string(struct buf *b, const char *format, ...)
{
    char text[160];
    va_list args;

    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put_bytes(b, 6, text, (size_t)len);
}

static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t next_random(struct gen *g)
{
    g->random += 0x9e3779b97f4a7c15u;
    return mix(g->random);
}

/*
 * The cube of a uniform number: a twentieth of the functions get a third of the
 * calls.
 */
static uint64_t callee(const struct gen *g, uint64_t function, unsigned site)
{
    double u = (double)(mix(function * N_SITES + site + 1) >> 11) * 0x1p-53;

    return (uint64_t)((double)g->n_functions * u * u * u);
}

static void put_label(struct gen *g, uint64_t key, unsigned field,
                      uint64_t value)
{
    put_int(&g->sub, 1, key);
    put_int(&g->sub, field, value);
    put_message(&g->msg, 3, &g->sub);
}

static void put_sample(struct gen *g)
{
    uint64_t stack[MAX_DEPTH];
    uint64_t function = 0;
    uint64_t depth = MIN_DEPTH + next_random(g) % (MAX_DEPTH - MIN_DEPTH + 1);

    for (uint64_t i = 0; i < depth; i++) {
        uint64_t bits = next_random(g);
        unsigned place =
            i + 1 == depth
                ? N_SITES + (unsigned)(bits % N_LEAVES)
                : (unsigned)__builtin_ctzll(bits | 1u << (N_SITES - 1));

        stack[i] = function * N_PLACES + place;
        g->used[stack[i]] = true;
        function = callee(g, function, place);
    }
    while (depth > 0)
        put_varint(&g->sub, stack[--depth] + 1);
    put_message(&g->msg, 1, &g->sub);

    uint64_t count = 1 + next_random(g) % 4;

    put_varint(&g->sub, count);
    put_varint(&g->sub, count * 10000000);
    put_message(&g->msg, 2, &g->sub);
    if (g->has_labels) {
        put_label(g, STR_THREAD, 2,
                  STR_FIRST_THREAD + next_random(g) % N_THREADS);
        put_label(g, STR_ENDPOINT, 2,
                  STR_FIRST_ENDPOINT + next_random(g) % N_ENDPOINTS);
        put_label(g, STR_BYTES, 3, 16u << next_random(g) % N_SIZES);
    }
    put_message(&g->out, 2, &g->msg);
}

static void put_value_type(struct gen *g, unsigned field, uint64_t type,
                           uint64_t unit)
{
    put_int(&g->msg, 1, type);
    put_int(&g->msg, 2, unit);
    put_message(&g->out, field, &g->msg);
}

static void put_mapping(struct gen *g)
{
    put_int(&g->msg, 1, 1);
    put_int(&g->msg, 2, 0x400000);
    put_int(&g->msg, 3, 0x400000 + g->n_functions * 4096);
    put_int(&g->msg, 5, STR_BINARY);
    for (unsigned has_field = 7; has_field <= 10; has_field++)
        put_int(&g->msg, has_field, 1);
    put_message(&g->out, 3, &g->msg);
}

static void put_locations(struct gen *g)
{
    for (uint64_t i = 0; i < g->n_functions * N_PLACES; i++) {
        uint64_t function = i / N_PLACES, place = i % N_PLACES;

        if (!g->used[i])
            continue;
        put_int(&g->sub, 1, function + 1);
        put_int(&g->sub, 2, 10 + place * 7);
        put_int(&g->msg, 1, i + 1);
        put_int(&g->msg, 2, 1);
        put_int(&g->msg, 3, 0x400000 + function * 4096 + place * 64);
        put_message(&g->msg, 4, &g->sub);
        put_message(&g->out, 4, &g->msg);
    }
}

static void put_functions(struct gen *g)
{
    uint64_t first_file = STR_FIRST_FUNCTION + g->n_functions;

    for (uint64_t i = 0; i < g->n_functions; i++) {
        put_int(&g->msg, 1, i + 1);
        put_int(&g->msg, 2, STR_FIRST_FUNCTION + i);
        put_int(&g->msg, 3, STR_FIRST_FUNCTION + i);
        put_int(&g->msg, 4, first_file + i / FUNCTIONS_PER_FILE);
        put_int(&g->msg, 5, 1 + i % FUNCTIONS_PER_FILE * 100);
        put_message(&g->out, 5, &g->msg);
    }
}

static void put_strings(struct gen *g)
{
    static const char *const fixed[] = {
        [STR_EMPTY] = "",
        [STR_SAMPLES] = "samples",
        [STR_COUNT] = "count",
        [STR_CPU] = "cpu",
        [STR_NANOSECONDS] = "nanoseconds",
        [STR_THREAD] = "thread",
        [STR_ENDPOINT] = "endpoint",
        [STR_BYTES] = "bytes",
        [STR_BINARY] = "/usr/bin/server",
    };
    unsigned n_functions = (unsigned)g->n_functions;

    for (int i = 0; i < STR_FIRST_THREAD; i++)
        put_string(&g->out, "%s", fixed[i]);
    for (unsigned i = 0; i < N_THREADS; i++)
        put_string(&g->out, "worker-%u", i);
    for (unsigned i = 0; i < N_ENDPOINTS; i++)
        put_string(&g->out, "/v1/items/%u", i);
    for (unsigned i = 0; i < n_functions; i++)
        put_string(&g->out, "shop.example/store/part%u.(*Kind%u).step_%u",
                   i / 40, i / 8, i);
    for (unsigned i = 0; i <= n_functions / FUNCTIONS_PER_FILE; i++)
        put_string(&g->out, "/src/store/part%u/file_%u.go", i / 2, i);
}

static void put_profile(struct gen *g)
{
    put_value_type(g, 1, STR_SAMPLES, STR_COUNT);
    put_value_type(g, 1, STR_CPU, STR_NANOSECONDS);
    for (uint64_t i = 0; i < g->n_samples; i++)
        put_sample(g);
    put_mapping(g);
    put_locations(g);
    put_functions(g);
    put_strings(g);
    put_int(&g->out, 9, 1700000000000000000u);
    put_int(&g->out, 10, 30000000000u);
    put_value_type(g, 11, STR_CPU, STR_NANOSECONDS);
    put_int(&g->out, 12, 10000000);
}

static void write_gzip(const char *path, const struct buf *plain)
{
    struct libdeflate_compressor *packer = libdeflate_alloc_compressor(1);

    if (!packer)
        die("out of memory");

    size_t cap = libdeflate_gzip_compress_bound(packer, plain->len);
    uint8_t *packed = malloc(cap);

    if (!packed)
        die("out of memory");

    size_t len =
        libdeflate_gzip_compress(packer, plain->data, plain->len, packed, cap);
    FILE *file = fopen(path, "wb");

    if (!file || fwrite(packed, 1, len, file) != len || fclose(file) != 0)
        die("cannot write the output");
    free(packed);
    libdeflate_free_compressor(packer);
}

int main(int argc, char **argv)
{
    if (argc != 6)
        die("usage: gen_profile OUT SAMPLES FUNCTIONS SEED labels|plain");

    struct gen g = {
        .n_samples = strtoull(argv[2], NULL, 10),
        .n_functions = strtoull(argv[3], NULL, 10),
        .random = mix(strtoull(argv[4], NULL, 10) + 1),
        .has_labels = strcmp(argv[5], "labels") == 0,
    };

    g.used = calloc(g.n_functions * N_PLACES + 1, sizeof *g.used);
    if (!g.used || g.n_functions == 0)
        die("FUNCTIONS must be a number above 0 that fits into memory");
    put_profile(&g);
    write_gzip(argv[1], &g.out);
    free(g.used);
    free(g.out.data);
    free(g.msg.data);
    free(g.sub.data);
    return 0;
}
