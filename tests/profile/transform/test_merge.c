/* test_merge.c - tests src/profile/transform/merge.c and merge_tables.c. */
#include "base/alloc.h"
#include "base/index.h"
#include "profile/model/build.h"
#include "profile/transform/merge.h"

#include "check.h"
#include "profile_fixture.h"

static const struct {
    const char *what;
    struct profile_row a[4], b[4];
    const char *want;
} cases[] = {
    { "equal samples add up",
      { { "m|a", { 1, 10 }, "" } },
      { { "m|a", { 2, 20 }, "" } },
      "3,30 m|a\n" },
    { "within one profile too",
      { { "m|a", { 1, 10 }, "" }, { "m|a", { 2, 20 }, "" } },
      { { NULL, { 0 }, "" } },
      "3,30 m|a\n" },
    { "in the order of first appearance",
      { { "m|b", { 1, 1 }, "" }, { "m|a", { 1, 1 }, "" } },
      { { "m|c", { 1, 1 }, "" }, { "m|a", { 1, 1 }, "" } },
      "1,1 m|b\n2,2 m|a\n1,1 m|c\n" },
    { "another stack",
      { { "m|a", { 1, 1 }, "" } },
      { { "m|a|a", { 1, 1 }, "" }, { "a|m", { 1, 1 }, "" } },
      "1,1 m|a\n1,1 m|a|a\n1,1 a|m\n" },
    { "no stack", { { "", { 1, 1 }, "" } }, { { "", { 1, 1 }, "" } }, "2,2\n" },
    { "a label",
      { { "m", { 1, 1 }, "k:v" } },
      { { "m", { 1, 1 }, "" } },
      "1,1 m k:v\n1,1 m\n" },
    { "text of a label",
      { { "m", { 1, 1 }, "k:v" } },
      { { "m", { 1, 1 }, "k:w" }, { "m", { 1, 1 }, "k:v" } },
      "2,2 m k:v\n1,1 m k:w\n" },
    { "number of a label",
      { { "m", { 1, 1 }, "k=1" } },
      { { "m", { 1, 1 }, "k=2" }, { "m", { 1, 1 }, "k=1" } },
      "2,2 m k=1\n1,1 m k=2\n" },
    { "unit of a label",
      { { "m", { 1, 1 }, "k=1" } },
      { { "m", { 1, 1 }, "k=1bytes" } },
      "1,1 m k=1\n1,1 m k=1bytes\n" },
    { "order of keys does not count",
      { { "m", { 1, 1 }, "j:1 k:2 n=3" } },
      { { "m", { 1, 1 }, "n=3 k:2 j:1" } },
      "2,2 m j:1 k:2 n=3\n" },
    { "order of one key counts",
      { { "m", { 1, 1 }, "k:1 k:2" } },
      { { "m", { 1, 1 }, "k:2 k:1" } },
      "1,1 m k:1 k:2\n1,1 m k:2 k:1\n" },
    { "zeros are left out",
      { { "m|z", { 0, 0 }, "" }, { "m|a", { 0, 1 }, "" } },
      { { "m|y", { 0, 0 }, "k:v" }, { "m|a", { 1, 0 }, "" } },
      "1,1 m|a\n" },
    { "what cancels out is left out",
      { { "m|a", { 1, 1 }, "" }, { "m|b", { 1, 1 }, "" } },
      { { "m|a", { -1, -1 }, "" } },
      "1,1 m|b\n" },
    { "not if one column is left",
      { { "m|a", { 1, 1 }, "" } },
      { { "m|a", { -1, 0 }, "" } },
      "0,1 m|a\n" },
    { "overflow goes round",
      { { "m", { INT64_MAX, 1 }, "" } },
      { { "m", { 1, 1 }, "" } },
      "-9223372036854775808,2 m\n" },
    { "frames of all kinds",
      { { "m@x.c!prog|a~b|?|!lib", { 1, 1 }, "" } },
      { { "?|m@x.c!prog", { 1, 1 }, "" }, { "a|b", { 1, 1 }, "" } },
      "1,1 m@x.c!prog|a~b|?|!lib\n1,1 ?|m@x.c!prog\n1,1 a|b\n" },
    { "nothing", { { NULL, { 0 }, "" } }, { { NULL, { 0 }, "" } }, "" },
};

/* Addresses are assigned in order, so they must not be compared. */
static struct cp_profile *without_addresses(const struct profile_row *rows)
{
    struct cp_profile *p = profile_of(rows, 4);

    for (uint32_t i = 0; i < p->n_locations; i++)
        p->locations[i].address = 0;
    return p;
}

static void test_samples(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_profile *both[] = { without_addresses(cases[i].a),
                                      without_addresses(cases[i].b) };
        struct cp_error err = { 0 };
        struct cp_profile *p;

        check_case(cases[i].what);
        p = cp_merge(both, 2, &err);
        CHECK_STR(err.msg, "");
        CHECK(!both[0] && !both[1]);
        CHECK_STR(profile_text(p), cases[i].want);
        cp_profile_free(p);
    }
}

/* Unused items are dropped, and ids are reassigned. */
static void test_garbage(void)
{
    static const struct profile_row a[] = {
        { "m!prog|gone!lib", { 1, 1 }, "k:gone" },
        { "m!prog|a!app", { 1, 1 }, "" }
    };
    static const struct profile_row b[] = {
        { "m!prog|gone!lib", { -1, -1 }, "k:gone" }
    };
    struct cp_profile *both[] = { profile_of(a, 2), profile_of(b, 1) };
    struct cp_profile *p;

    both[1]->locations[0].address = both[0]->locations[0].address;
    both[1]->locations[1].address = both[0]->locations[1].address;
    p = cp_merge(both, 2, NULL);
    CHECK_STR(profile_text(p), "1,1 m!prog|a!app\n");
    CHECK_INT(p->n_locations, 2);
    CHECK_INT(p->n_functions, 2);
    CHECK_INT(p->n_mappings, 3); /* the first mapping always stays */
    for (uint32_t i = 0; i < 2; i++) {
        CHECK_INT(p->locations[i].id, i + 1);
        CHECK_INT(p->functions[i].id, i + 1);
        CHECK_INT(p->mappings[i].id, i + 1);
    }
    CHECK_INT(cp_strtab_find(&p->strings, "gone", 4), CP_NO_STR);
    cp_profile_free(p);
}

/* One sample with one location of two lines, and all that belongs to it. */
struct spec {
    uint64_t start, limit, offset;
    uint64_t address, is_folded;
    int64_t line, column, inner_line, inner_column;
    int64_t start_line;
    const char *file, *build_id, *name, *system_name, *source;
};

static const struct spec plain = {
    .start = 0x1000,
    .limit = 0x3000,
    .offset = 0x200,
    .address = 0x1234,
    .line = 10,
    .column = 3,
    .inner_line = 20,
    .inner_column = 4,
    .start_line = 5,
    .file = "/bin/prog",
    .build_id = "id",
    .name = "f",
    .system_name = "_f",
    .source = "f.c",
};

static uint32_t add_str(struct cp_builder *b, const char *text)
{
    return cp_builder_str(b, text, strlen(text), NULL);
}

static struct cp_profile *profile_of_spec(const struct spec *s)
{
    struct cp_builder b = { 0 };
    struct cp_mapping m = { .start = s->start,
                            .limit = s->limit,
                            .offset = s->offset };
    struct cp_function f = { .start_line = s->start_line };
    struct cp_line inner = { 0, s->inner_line, s->inner_column };
    struct cp_line outer = { 0, s->line, s->column };
    int64_t value = 1;
    uint32_t loc;

    (void)cp_builder_init(&b, NULL);
    (void)cp_builder_type(&b, "n", "count", NULL);
    m.file = add_str(&b, s->file);
    m.build_id = add_str(&b, s->build_id);
    f.name = add_str(&b, s->name);
    f.system_name = add_str(&b, s->system_name);
    f.filename = add_str(&b, s->source);
    (void)cp_builder_mapping(&b, m, NULL);
    (void)cp_builder_function(&b, f, NULL);
    loc = cp_builder_location(&b, s->address, NULL);
    b.profile->locations[loc].mapping = 0;
    b.profile->locations[loc].is_folded = s->is_folded != 0;
    (void)cp_builder_line(&b, loc, inner, NULL);
    (void)cp_builder_line(&b, loc, outer, NULL);
    (void)cp_builder_sample(&b, &loc, 1, &value, 0, NULL);
    return cp_builder_take(&b);
}

/* The difference of the second profile, and the resulting numbers of items. */
#define NUMBER(field, value) offsetof(struct spec, field), (value), NULL
#define TEXT(field, value) offsetof(struct spec, field), 0, (value)

static const struct {
    const char *what;
    size_t at;
    uint64_t number;
    const char *text;
    uint32_t n_mappings, n_functions, n_locations;
} identities[] = {
    { "the same", NUMBER(start, 0x1000), 1, 1, 1 },
    { "size within the page", NUMBER(limit, 0x2001), 1, 1, 1 },
    { "size of another page", NUMBER(limit, 0x3001), 2, 1, 2 },
    { "offset", NUMBER(offset, 0x1200), 2, 1, 2 },
    { "build id", TEXT(build_id, "other"), 2, 1, 2 },
    { "file beside a build id", TEXT(file, "/other"), 1, 1, 1 },
    { "no build id", TEXT(build_id, ""), 2, 1, 2 },
    { "address", NUMBER(address, 0x1235), 1, 1, 2 },
    { "folded", NUMBER(is_folded, 1), 1, 1, 2 },
    { "line", NUMBER(line, 11), 1, 1, 2 },
    { "column", NUMBER(column, 5), 1, 1, 2 },
    { "inner line", NUMBER(inner_line, 21), 1, 1, 2 },
    { "inner column", NUMBER(inner_column, 5), 1, 1, 2 },
    { "first line of the function", NUMBER(start_line, 6), 1, 2, 2 },
    { "name", TEXT(name, "g"), 1, 2, 2 },
    { "system name", TEXT(system_name, "_g"), 1, 2, 2 },
    { "source file", TEXT(source, "g.c"), 1, 2, 2 },
};

static void test_identity(void)
{
    for (size_t i = 0; i < sizeof(identities) / sizeof(identities[0]); i++) {
        struct spec other = plain;
        char *field = (char *)&other + identities[i].at;
        struct cp_profile *both[2], *p;

        if (identities[i].text)
            memcpy(field, &identities[i].text, sizeof(identities[i].text));
        else
            memcpy(field, &identities[i].number, sizeof(uint64_t));
        both[0] = profile_of_spec(&plain);
        both[1] = profile_of_spec(&other);
        check_case(identities[i].what);
        p = cp_merge(both, 2, NULL);
        CHECK_INT(p->n_mappings, identities[i].n_mappings);
        CHECK_INT(p->n_functions, identities[i].n_functions);
        CHECK_INT(p->n_locations, identities[i].n_locations);
        CHECK_INT(p->n_samples, identities[i].n_locations);
        cp_profile_free(p);
    }
}

/* Without a build id the file name decides. */
static void test_mapping_by_file(void)
{
    struct spec a = plain, b = plain;
    struct cp_profile *both[2], *p;

    a.build_id = b.build_id = "";
    b.file = "/other";
    both[0] = profile_of_spec(&a);
    both[1] = profile_of_spec(&b);
    p = cp_merge(both, 2, NULL);
    CHECK_INT(p->n_mappings, 2);
    cp_profile_free(p);
    b.file = "";
    a.file = "";
    both[0] = profile_of_spec(&a);
    both[1] = profile_of_spec(&b);
    p = cp_merge(both, 2, NULL);
    CHECK_INT(p->n_mappings, 1);
    cp_profile_free(p);
}

/* A mapping at another address is relocated to that of the first profile. */
static void test_addresses_move(void)
{
    struct spec moved = plain;
    struct cp_profile *both[2], *p;

    moved.start = 0x7fff00001000;
    moved.limit = 0x7fff00003000;
    moved.address = 0x7fff00001234;
    both[0] = profile_of_spec(&plain);
    both[1] = profile_of_spec(&moved);
    p = cp_merge(both, 2, NULL);
    CHECK_INT(p->n_samples, 1);
    CHECK_INT(p->values[0], 2);
    CHECK_INT(p->mappings[0].start, 0x1000);
    CHECK_INT(p->locations[0].address, 0x1234);
    cp_profile_free(p);
    moved.address += 0x10;
    both[0] = profile_of_spec(&moved);
    both[1] = profile_of_spec(&plain);
    p = cp_merge(both, 2, NULL);
    CHECK_INT(p->n_samples, 2);
    CHECK_INT(p->locations[1].address, 0x7fff00001234);
    cp_profile_free(p);
}

/* Scalar fields of three profiles, and of their merge. */
static const struct {
    const char *what;
    int64_t time[3], want_time;
    int64_t duration[3], want_duration;
    int64_t period[3], want_period;
} heads[] = {
    { "the earliest time", { 30, 10, 20 }, 10, { 1, 2, 4 }, 7, { 1, 3, 2 }, 3 },
    { "a missing time comes first",
      { 0, 20, 30 },
      20,
      { 0, 0, 0 },
      0,
      { 0, 0, 5 },
      5 },
    { "a missing time in the middle resets the result",
      { 10, 0, 30 },
      30,
      { -1, 1, 5 },
      5,
      { 7, 0, 0 },
      7 },
    { "a missing time at the end",
      { 10, 20, 0 },
      0,
      { 1, 0, 0 },
      1,
      { 0, 0, 0 },
      0 },
};

static void test_heads(void)
{
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        struct cp_profile *three[3], *p;

        for (size_t k = 0; k < 3; k++) {
            three[k] = profile_of_spec(&plain);
            three[k]->time_ns = heads[i].time[k];
            three[k]->duration_ns = heads[i].duration[k];
            three[k]->period = heads[i].period[k];
        }
        check_case(heads[i].what);
        p = cp_merge(three, 3, NULL);
        CHECK_INT(p->time_ns, heads[i].want_time);
        CHECK_INT(p->duration_ns, heads[i].want_duration);
        CHECK_INT(p->period, heads[i].want_period);
        cp_profile_free(p);
    }
}

static struct cp_profile *with_texts(const char *const texts[4])
{
    struct cp_builder b = { 0 };

    (void)cp_builder_init(&b, NULL);
    (void)cp_builder_type(&b, "type", "unit", NULL);
    (void)cp_builder_period(&b, texts[0], texts[1], 1, NULL);
    b.profile->drop_frames = add_str(&b, texts[0]);
    b.profile->keep_frames = add_str(&b, texts[1]);
    b.profile->default_type = add_str(&b, texts[2]);
    b.profile->doc_url = add_str(&b, texts[3]);
    for (size_t i = 0; i < 4; i++)
        (void)cp_builder_comment(&b, texts[i], strlen(texts[i]), NULL);
    return cp_builder_take(&b);
}

static void test_texts(void)
{
    static const char *const texts[3][4] = { { "a", "b", "", "" },
                                             { "c", "", "d", "" },
                                             { "", "a", "e", "f" } };
    struct cp_profile *three[3], *p;
    char all[64] = "";

    for (size_t i = 0; i < 3; i++)
        three[i] = with_texts(texts[i]);
    p = cp_merge(three, 3, NULL);
    CHECK_STR(cp_profile_cstr(p, p->drop_frames), "a");
    CHECK_STR(cp_profile_cstr(p, p->keep_frames), "b");
    CHECK_STR(cp_profile_cstr(p, p->period_type.type), "a");
    CHECK_STR(cp_profile_cstr(p, p->period_type.unit), "b");
    CHECK_STR(cp_profile_cstr(p, p->default_type), "d");
    CHECK_STR(cp_profile_cstr(p, p->doc_url), "f");
    CHECK_STR(cp_profile_cstr(p, p->types[0].type), "type");
    CHECK_STR(cp_profile_cstr(p, p->types[0].unit), "unit");
    for (uint32_t i = 0; i < p->n_comments; i++) {
        (void)strcat(all, cp_profile_cstr(p, p->comments[i]));
        (void)strcat(all, ";");
    }
    CHECK_STR(all, "a;b;;c;d;e;f;");
    cp_profile_free(p);
}

/* Tables large enough to grow several times. */
static struct cp_profile *large(uint32_t first)
{
    struct cp_builder b = { 0 };

    (void)cp_builder_init(&b, NULL);
    (void)cp_builder_type(&b, "n", "count", NULL);
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t k = first + i;
        struct cp_function f = { .start_line = k };
        struct cp_mapping m = { .offset = k };
        struct cp_label label = { 0, CP_NONE, 0, k };
        uint32_t locs[6];
        int64_t value = k;

        locs[0] = cp_builder_location(&b, k, NULL);
        for (uint32_t d = 1; d < 6; d++)
            locs[d] = i * d / 6;
        (void)cp_builder_mapping(&b, m, NULL);
        (void)cp_builder_function(&b, f, NULL);
        b.profile->locations[locs[0]].mapping = i;
        (void)cp_builder_line(&b, locs[0], (struct cp_line){ i, 0, 0 }, NULL);
        (void)cp_builder_sample(&b, locs, i % 6 + 1, &value,
                                cp_builder_label_set(&b, &label, 1, NULL),
                                NULL);
    }
    return cp_builder_take(&b);
}

static void test_large(void)
{
    struct cp_profile *three[] = { large(1), large(1001), large(1) }, *p;
    uint32_t n_right = 0;

    for (uint32_t i = 0; i < 2000; i++) /* the same stacks as in the first */
        for (uint32_t d = 1; d < i % 6 + 1; d++)
            three[1]->locs[three[1]->samples[i].locs + d] = 0;
    p = cp_merge(three, 3, NULL);
    CHECK_INT(p->n_mappings, 3000);
    CHECK_INT(p->n_functions, 3000);
    CHECK_INT(p->n_locations, 3000);
    CHECK_INT(p->n_label_sets, 3001);
    for (uint32_t i = 0; i < 2000; i++)
        n_right += p->values[i] == 2 * ((int64_t)i + 1) ||
                   p->values[i] == 3 * ((int64_t)i + 1);
    CHECK_INT(n_right, 2000);
    cp_profile_free(p);
}

static void test_memory_runs_out(void)
{
    struct cp_profile *a = large(1), *b = large(500), *p = NULL;
    long n = 1;

    for (; n < 1000 && !p; n++) {
        struct cp_profile *both[] = { cp_profile_copy(a, NULL),
                                      cp_profile_copy(b, NULL) };
        struct cp_error err = { 0 };

        cp_alloc_fail_at(n);
        p = cp_merge(both, 2, &err);
        cp_alloc_fail_at(0);
        CHECK(!both[0] && !both[1]);
        CHECK_INT(err.status, p ? CP_OK : CP_ENOMEM);
    }
    CHECK(p != NULL);
    CHECK(n > 20);
    cp_profile_free(p);
    cp_profile_free(b);
    cp_profile_free(a);
}

int main(void)
{
    RUN(test_samples);
    RUN(test_garbage);
    RUN(test_identity);
    RUN(test_mapping_by_file);
    RUN(test_addresses_move);
    RUN(test_heads);
    RUN(test_texts);
    RUN(test_large);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
