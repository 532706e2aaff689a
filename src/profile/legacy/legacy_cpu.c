/*
 * legacy_cpu.c - reads gperftools' binary CPU profiles.
 *
 * The file has machine words of 4 or 8 bytes in either byte order, followed by
 * text.
 *
 *   word    0            1           2           3            4
 *   header  0            3           kind        period, us   0
 *   record  count        depth       address, depth times, leaf first
 *   end     0            1           0
 *   text    a memory map, or Java's table of names
 *
 * The kind is 0 for native code and 1 for Java. The reader tries each word size
 * and byte order until the header matches. The end record may be missing if the
 * file ends after a record. A file that ends elsewhere is usually rejected as
 * another format.
 */

#include "base/alloc.h"
#include "profile/legacy/java_locations.h"
#include "profile/legacy/legacy.h"
#include "profile/legacy/mapping_assign.h"
#include "profile/legacy/memory_map.h"

enum { KIND_NATIVE, KIND_JAVA, N_KINDS };

struct word_form {
    unsigned bytes;
    bool is_big_endian;
};

static const struct word_form word_forms[] = {
    { 4, false },
    { 4, true },
    { 8, false },
    { 8, true },
};

/* One record: a count, and the position of its addresses. */
struct cpu_record {
    uint64_t count;
    size_t addresses; /* index of the first address, in words */
    size_t depth;
    size_t skip; /* number of profiler frames after the leaf */
};

struct cpu_reader {
    struct cp_legacy_reader base;
    struct word_form form;
    struct cp_text text;
    size_t n_words,
        next; /* words in the file; index of the next word to read */
    uint64_t kind, period_ns;
    struct cpu_record *records;
    size_t n_records, cap_records;
};

/* Returns word i of the file; 0 past the end. */
static uint64_t word_at(const struct cpu_reader *r, size_t i)
{
    uint64_t value = 0;
    const char *p;

    if (i >= r->n_words)
        return 0;
    p = r->text.pos + i * r->form.bytes;
    for (unsigned k = 0; k < r->form.bytes; k++) {
        unsigned from = r->form.is_big_endian ? k : r->form.bytes - 1 - k;

        value = value << 8 | (unsigned char)p[from];
    }
    return value;
}

/* Whether the header matches with this word size and byte order. */
static bool try_header(struct cpu_reader *r, struct word_form form)
{
    r->form = form;
    r->n_words = cp_text_len(r->text) / form.bytes;
    r->next = 5;
    r->kind = word_at(r, 2);
    r->period_ns = word_at(r, 3) * 1000;
    return r->n_words >= 5 && word_at(r, 0) == 0 && word_at(r, 1) == 3 &&
           r->kind < N_KINDS && word_at(r, 3) > 0 && word_at(r, 4) == 0;
}

static bool read_header(struct cpu_reader *r)
{
    for (size_t i = 0; i < sizeof(word_forms) / sizeof(word_forms[0]); i++)
        if (try_header(r, word_forms[i]))
            return true;
    return false;
}

static bool is_end(const struct cpu_reader *r, const struct cpu_record *record)
{
    return record->count == 0 && record->depth == 1 &&
           word_at(r, record->addresses) == 0;
}

/*
 * Parses one record; false if the file is too short. Like the reference tool,
 * it checks the depth as if words had 4 bytes, so a record of 8-byte words may
 * be truncated.
 */
static bool parse_record(struct cpu_reader *r, struct cpu_record *out)
{
    size_t bytes_left;
    uint64_t depth = word_at(r, r->next + 1);

    if (r->n_words - r->next < 2)
        return false;
    *out = (struct cpu_record){ .count = word_at(r, r->next),
                                .addresses = r->next + 2 };
    bytes_left = cp_text_len(r->text) - out->addresses * r->form.bytes;
    if (depth > bytes_left / 4)
        return false;
    out->depth = depth;
    r->next = out->addresses + out->depth;
    return true;
}

/* Whether any byte is left, even less than a word. */
static bool has_more(const struct cpu_reader *r)
{
    return r->next < r->n_words ||
           (r->next == r->n_words && cp_text_len(r->text) % r->form.bytes);
}

static enum cp_status read_records(struct cpu_reader *r, struct cp_error *err)
{
    struct cpu_record record;

    while (has_more(r)) {
        if (!parse_record(r, &record))
            return cp_error_set(err, CP_EOTHER, "not a CPU profile");
        if (is_end(r, &record))
            break;
        if (cp_reserve(&r->records, &r->cap_records, r->n_records + 1,
                       sizeof(record), err) != CP_OK)
            return CP_ENOMEM;
        r->records[r->n_records++] = record;
    }
    return CP_OK;
}

/* Returns the address after the leaf that is not skipped yet. */
static bool second_frame(const struct cpu_reader *r,
                         const struct cpu_record *record, uint64_t *out)
{
    if (record->depth < 2 + record->skip)
        return false;
    *out = word_at(r, record->addresses + 1 + record->skip);
    return true;
}

/*
 * Majority vote: returns the address after the leaf that most records share, if
 * there is one. The caller must count to verify it.
 */
static uint64_t likely_second_frame(const struct cpu_reader *r)
{
    uint64_t candidate = 0, address;
    size_t lead = 0;

    for (size_t i = 0; i < r->n_records; i++) {
        if (!second_frame(r, &r->records[i], &address))
            continue;
        if (lead == 0)
            candidate = address;
        if (address == candidate)
            lead++;
        else
            lead--;
    }
    return candidate;
}

/*
 * Skips the return address of the signal handler: a frame that follows the leaf
 * in at least 31 of 32 records.
 */
static void skip_signal_frame(struct cpu_reader *r)
{
    uint64_t candidate = likely_second_frame(r), address;
    size_t n = 0;

    for (size_t i = 0; i < r->n_records; i++)
        n += second_frame(r, &r->records[i], &address) && address == candidate;
    if (n == 0 || n < r->n_records - r->n_records / 32)
        return;
    for (size_t i = 0; i < r->n_records; i++)
        if (second_frame(r, &r->records[i], &address) && address == candidate)
            r->records[i].skip++;
}

static enum cp_status add_sample(struct cpu_reader *r,
                                 const struct cpu_record *record,
                                 struct cp_error *err)
{
    int64_t values[2] = { (int64_t)record->count,
                          (int64_t)(record->count * r->period_ns) };
    enum cp_status status = CP_OK;

    r->base.stack.n = 0;
    for (size_t i = 0; i < record->depth && status == CP_OK; i++)
        if (i == 0 || i > record->skip)
            status = cp_address_stack_push(
                &r->base.stack, word_at(r, record->addresses + i), err);
    if (status != CP_OK)
        return status;
    return cp_address_stack_sample(&r->base.stack, &r->base.b, values, 0, err);
}

static enum cp_status add_samples(struct cpu_reader *r, struct cp_error *err)
{
    enum cp_status status = CP_OK;

    if (cp_builder_type(&r->base.b, "samples", "count", err) != CP_OK ||
        cp_builder_type(&r->base.b, "cpu", "nanoseconds", err) != CP_OK ||
        cp_builder_period(&r->base.b, "cpu", "nanoseconds",
                          (int64_t)r->period_ns, err) != CP_OK)
        return CP_ENOMEM;
    for (size_t i = 0; i < r->n_records && status == CP_OK; i++)
        status = add_sample(r, &r->records[i], err);
    return status;
}

/* Returns the text after the records. */
static struct cp_text text_part(const struct cpu_reader *r)
{
    size_t words = r->next < r->n_words ? r->next : r->n_words;

    return (struct cp_text){ r->text.pos + words * r->form.bytes, r->text.end };
}

static enum cp_status read_all(struct cp_legacy_reader *base,
                               struct cp_text text, struct cp_error *err)
{
    struct cpu_reader *r = (struct cpu_reader *)base;
    enum cp_status status;

    r->text = text;
    if (!read_header(r))
        return cp_error_set(err, CP_EOTHER, "not a CPU profile");
    status = read_records(r, err);
    if (status != CP_OK)
        return status;
    if (r->kind == KIND_NATIVE) {
        r->base.stack.returns = CP_RETURN_CALLERS;
        skip_signal_frame(r);
        skip_signal_frame(r);
    }
    status = add_samples(r, err);
    if (status != CP_OK)
        return status;
    if (r->kind == KIND_JAVA)
        return cp_java_locations_read(&r->base.b, text_part(r), err);
    cp_drop_repeated_leaves(r->base.b.profile);
    status = cp_memory_map_read(&r->base.b, text_part(r), err);
    return status == CP_OK ? cp_mapping_assign(&r->base.b, err) : status;
}

struct cp_profile *cp_legacy_read_cpu(const char *bytes, size_t len,
                                      struct cp_error *err)
{
    struct cpu_reader r = { 0 };
    struct cp_profile *profile =
        cp_legacy_run(&r.base, read_all, cp_text_of(bytes, len), err);

    cp_free(r.records);
    return profile;
}
