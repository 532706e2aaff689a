/* test_label_texts.c - tests src/report/core/label_texts.c. */
#include "base/alloc.h"
#include "base/index.h"
#include "profile/model/build.h"
#include "report/core/label_texts.h"

#include "check.h"
#include "profile_fixture.h"

/* Writes "key=values" of one key, in brackets that show each call. */
static void write_key(const void *context, const struct cp_label_set *set,
                      uint32_t *i, struct cp_out *out)
{
    const struct cp_profile *p = context;
    struct cp_label first = p->labels[set->labels + *i];

    cp_out_str(out, cp_profile_str(p, first.key));
    for (; *i < set->n_labels; (*i)++) {
        struct cp_label l = p->labels[set->labels + *i];

        if (l.key != first.key || (l.str == CP_NONE) != (first.str == CP_NONE))
            break;
        cp_out_char(out, '=');
        if (l.str == CP_NONE)
            cp_out_i64(out, l.num);
        else
            cp_out_str(out, cp_profile_str(p, l.str));
    }
}

static const struct {
    const char *what, *labels, *want;
} cases[] = {
    { "no labels", "", "" },
    { "text", "a:x", "<a=x>" },
    { "several of a key", "a:x a:y", "<a=x=y>" },
    { "kinds apart", "n=7 a:x", "<a=x><n=7>" },
    { "sorted by key", "b:x a:y", "<a=y,b=x>" },
    /* '-' comes before '=', but "a" before "a-b" */
    { "sorted as text", "a:x a-b:y", "<a-b=y,a=x>" },
    { "numbers too", "a=1 a-b=2 c=3", "<a-b=2,a=1,c=3>" },
};

#define N_CASES (sizeof(cases) / sizeof(cases[0]))

static void test_texts(void)
{
    struct profile_row rows[N_CASES + 1] = { { 0 } };
    struct cp_label_texts t = { 0 };
    struct cp_label_style style = { write_key, NULL, "<", ",", ">" };
    struct cp_profile *p;

    for (size_t i = 0; i < N_CASES; i++)
        rows[i] = (struct profile_row){ "f", { 1, 1 }, cases[i].labels };
    p = profile_of(rows, N_CASES);
    style.context = p;
    CHECK_INT(cp_label_texts_init(&t, p, &style, NULL), CP_OK);
    for (uint32_t i = 0; i < N_CASES; i++) {
        struct cp_str got = t.items[p->samples[i].label_set];

        check_case(cases[i].what);
        CHECK(got.len == strlen(cases[i].want) &&
              memcmp(got.ptr, cases[i].want, got.len) == 0);
    }
    cp_label_texts_release(&t);
    cp_profile_free(p);
}

static struct cp_profile *many_sets(uint32_t n)
{
    struct cp_builder b = { 0 };

    (void)cp_builder_init(&b, NULL);
    for (uint32_t i = 0; i < n; i++) {
        struct cp_label label = { 0, CP_NONE, 0, i + 1 };

        (void)cp_builder_label_set(&b, &label, 1, NULL);
    }
    return cp_builder_take(&b);
}

static void test_many(void)
{
    struct cp_profile *p = many_sets(10000);
    struct cp_label_style style = { write_key, p, "", "", "" };
    struct cp_label_texts t = { 0 };
    uint32_t n_right = 0;
    char want[32];

    CHECK_INT(cp_label_texts_init(&t, p, &style, NULL), CP_OK);
    for (uint32_t i = 1; i < p->n_label_sets; i++) {
        int len = snprintf(want, sizeof(want), "=%u", i);

        n_right += t.items[i].len == (uint32_t)len &&
                   memcmp(t.items[i].ptr, want, (size_t)len) == 0;
    }
    CHECK_INT(n_right, 10000);
    cp_label_texts_release(&t);
    cp_profile_free(p);
}

static void test_memory_runs_out(void)
{
    struct cp_profile *p = many_sets(2000);
    struct cp_label_style style = { write_key, p, "", "", "" };
    enum cp_status status = CP_ENOMEM;
    long n = 1;

    for (; n < 100 && status != CP_OK; n++) {
        struct cp_label_texts t = { 0 };
        struct cp_error err = { 0 };

        cp_alloc_fail_at(n);
        status = cp_label_texts_init(&t, p, &style, &err);
        cp_alloc_fail_at(0);
        CHECK_INT(err.status, status);
        cp_label_texts_release(&t);
    }
    CHECK_INT(status, CP_OK);
    CHECK(n > 4);
    cp_profile_free(p);
}

int main(void)
{
    RUN(test_texts);
    RUN(test_many);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
