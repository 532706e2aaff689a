/* legacy.c - tries the readers of the legacy formats in order. */
#include "profile/legacy/legacy.h"

#include "profile/legacy/drop_frames.h"
#include "profile/legacy/heap_values.h"
#include "profile/legacy/symbolized.h"

typedef struct cp_profile *reader(const char *bytes, size_t len,
                                  struct cp_error *err);

/* The order of the reference tool; a file may match two formats. */
static reader *const readers[] = {
    cp_legacy_read_cpu,   cp_legacy_read_heap,   cp_legacy_read_jemalloc,
    cp_legacy_read_count, cp_legacy_read_thread, cp_legacy_read_contention,
    cp_legacy_read_java,
};

struct cp_profile *cp_legacy_run(struct cp_legacy_reader *r,
                                 cp_legacy_body *body, struct cp_text text,
                                 struct cp_error *err)
{
    struct cp_profile *profile = NULL;

    if (cp_builder_init(&r->b, err) == CP_OK && body(r, text, err) == CP_OK)
        profile = cp_builder_take(&r->b);
    cp_builder_release(&r->b);
    cp_address_stack_release(&r->stack);
    return profile;
}

/*
 * Reads a heap profile in jeprof mode; NULL with CP_EOTHER for other formats.
 */
static struct cp_profile *
read_heap(const char *bytes, size_t len,
          const struct cp_legacy_heap_options *options, struct cp_error *err)
{
    struct cp_profile *p = cp_legacy_heap_read(bytes, len, options, err);

    if (p || err->status != CP_EOTHER)
        return p;
    return cp_jemalloc_read(bytes, len, options, err);
}

/* Returns the result of the first reader that does not return CP_EOTHER. */
static struct cp_profile *read_any(const char *bytes, size_t len,
                                   const struct cp_legacy_heap_options *options,
                                   struct cp_error *err)
{
    if (options->parts > 0) {
        struct cp_profile *p = read_heap(bytes, len, options, err);

        if (p || err->status != CP_EOTHER)
            return p;
    }
    for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
        struct cp_profile *p = readers[i](bytes, len, err);

        if (p || err->status != CP_EOTHER)
            return p;
    }
    (void)cp_error_set(err, CP_EOTHER, "unrecognized profile format");
    return NULL;
}

struct cp_profile *
cp_legacy_read_as(const char *bytes, size_t len,
                  const struct cp_legacy_heap_options *options,
                  struct cp_error *err)
{
    struct cp_error own = { 0 };
    struct cp_text names, rest = cp_text_of(bytes, len);
    bool is_symbolized = cp_symbolized_split(&rest, &names);
    struct cp_profile *p =
        read_any(rest.pos, cp_text_len(rest), options, err ? err : &own);

    if (p && (cp_drop_frames_set(p, err) != CP_OK ||
              (is_symbolized && cp_symbolized_name(p, names, err) != CP_OK))) {
        cp_profile_free(p);
        return NULL;
    }
    return p;
}

struct cp_profile *cp_legacy_read(const char *bytes, size_t len,
                                  struct cp_error *err)
{
    return cp_legacy_read_as(bytes, len, &(struct cp_legacy_heap_options){ 0 },
                             err);
}
