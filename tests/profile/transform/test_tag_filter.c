/* test_tag_filter.c - tests src/profile/transform/tag_filter.c and
 * filter_tags.c. */
#include "base/alloc.h"
#include "profile/model/label_units.h"
#include "profile/model/profile.h"
#include "profile/transform/tag_filter.h"
#include "regex/regex.h"

#include "check.h"
#include "profile_fixture.h"

static const struct {
    const char *text;
    const char *range; /* NULL: not a range */
} kinds[] = {
    { "5", "5" },           { "5kb", "5kb" },
    { "-5", "-5" },         { "+5kb", "+5kb" },
    { "5:", "5:" },         { ":5", ":5" },
    { "5:10", "5:10" },     { "1kb:10kb", "1kb:10kb" },
    { "key=1kb:", "1kb:" }, { "key=5", "5" },
    { "a=b=5", NULL },      { "=5", "5" },
    { "1kb:2ms", NULL },    { "1:2ms", NULL },
    { "1ms:2", "1ms:2" },   { "0.15s", NULL },
    { "5 kb", NULL },       { "kb", NULL },
    { ":", NULL },          { "", NULL },
    { ":5:", NULL },        { "5:6:7", NULL },
    { "5:x", NULL },        { "-", NULL },
    { "5,6", NULL },        { "99999999999999999999", NULL },
    { "5kb1", NULL },
};

static void test_ranges(void)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct cp_tag_filter *f = cp_tag_filter_new(kinds[i].text, NULL);

        check_case(kinds[i].text);
        if (CHECK(f))
            CHECK_STR(cp_tag_filter_range(f), kinds[i].range);
        cp_tag_filter_free(f);
    }
}

static const struct {
    const char *what, *expression, *labels;
    bool want;
} matches[] = {
    { "equal", "bytes=32b", "bytes=32", true },
    { "not equal", "bytes=32b", "bytes=33", false },
    { "no unit never matches one", "bytes=32", "bytes=32", false },
    { "no unit matches none", "foo=32", "foo=32", true },
    { "no unit, of a label with an unknown one", "foo=32", "foo=32foos", true },
    { "another unit of the family", "k=1kb", "k=1024bytes", true },
    { "not quite", "k=1kb", "k=1025bytes", false },
    { "another family", "k=1kb", "k=1ms", false },
    { "any key", "32b", "x=1b y=32b", true },
    { "another key", "x=32b", "x=1b y=32b", false },
    { "several values of a key", "x=2b", "x=1b x=2b", true },
    { "at least", "k=10b:", "k=10b", true },
    { "at least, too little", "k=10b:", "k=9b", false },
    { "at most", "k=:10b", "k=10b", true },
    { "at most, too much", "k=:10b", "k=11b", false },
    { "between", "k=1kb:2kb", "k=1500b", true },
    { "lower bound", "k=1kb:2kb", "k=1024b", true },
    { "upper bound", "k=1kb:2kb", "k=2048b", true },
    { "below", "k=1kb:2kb", "k=1023b", false },
    { "above", "k=1kb:2kb", "k=2049b", false },
    { "bounds in two units", "k=100b:1kb", "k=1024b", true },
    { "bounds in two units, above", "k=100b:1kb", "k=1025b", false },
    { "negative", "k=-5b", "k=-5b", true },
    { "ranges never see text", "k=5", "k:5", false },
    { "no labels", "5", "", false },

    { "key and value", "thread:main", "thread:main", true },
    { "part of key and value", "ead:ma", "thread:main", true },
    { "text never sees numbers", "k:5", "k=5", false },
    { "all of several", "a:1,b:2", "a:1 b:2", true },
    { "all of several, one lacks", "a:1,b:3", "a:1 b:2", false },
    { "several on one label", "a,1", "a:1", true },
    { "anything needs a label", ".*", "", false },
    { "with a key", "thread=main", "thread:main", true },
    { "with a key, only the value", "thread=^main$", "thread:main", true },
    { "with another key", "thread=main", "name:main", false },
    { "the key is no expression", "thr.*=main", "thread:main", false },
    { "any of several", "k=a,b", "k:b", true },
    { "any of several, none", "k=a,b", "k:c", false },
    { "any value of the key", "k=b", "k:a k:b", true },
    { "a key that has only numbers", "k=.*", "k=5", false },
    { "an empty key is none", "=a:1", "a:1", true },
    { "the first equals sign", "k=a=b", "k:a=b", true },
    { "an empty value", "k=", "k:x", true },
    { "empty key and value without a label", "", "", false },
};

static struct cp_profile *profile_with(const char *labels)
{
    struct profile_row row = { "m", { 1, 1 }, labels };

    return profile_of(&row, 1);
}

static void test_matches(void)
{
    for (size_t i = 0; i < sizeof(matches) / sizeof(matches[0]); i++) {
        struct cp_tag_filter *f =
            cp_tag_filter_new(matches[i].expression, NULL);
        struct cp_profile *p = profile_with(matches[i].labels);
        struct cp_label_units units;

        check_case(matches[i].what);
        CHECK_INT(cp_label_units_init(&units, p, NULL), CP_OK);
        CHECK_INT(cp_tag_filter_matches(
                      f, p, &p->label_sets[p->samples[0].label_set], &units),
                  matches[i].want);
        CHECK_INT(cp_tag_filter_check(f, NULL), CP_OK);
        cp_label_units_release(&units);
        cp_profile_free(p);
        cp_tag_filter_free(f);
    }
}

static void test_wrong_expressions(void)
{
    static const char *const wrong[] = { "(", "k=[", "a,b,(", "k=*" };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct cp_error err = { 0 };

        check_case(wrong[i]);
        CHECK(!cp_tag_filter_new(wrong[i], &err));
        CHECK_INT(err.status, CP_EUSAGE);
        CHECK(strstr(err.msg, "error parsing regexp: "));
    }
}

static const struct profile_row rows[] = {
    { "m", { 1, 1 }, "t:a n=1b" },
    { "m", { 2, 2 }, "t:b n=2b" },
    { "m", { 3, 3 }, "t:a u:x" },
    { "m", { 4, 4 }, "" },
};

static const struct {
    const char *what, *focus, *ignore, *want;
    bool focus_matched, ignore_matched;
} filters[] = {
    { "nothing", NULL, NULL,
      "1,1 m t:a n=1b\n2,2 m t:b n=2b\n3,3 m t:a u:x\n4,4 m\n", true, false },
    { "focus", "t=a", NULL, "1,1 m t:a n=1b\n3,3 m t:a u:x\n", true, false },
    { "ignore", NULL, "t=a", "2,2 m t:b n=2b\n4,4 m\n", true, true },
    { "both", "t=a", "u=x", "1,1 m t:a n=1b\n", true, true },
    { "a range", "n=2b:", NULL, "2,2 m t:b n=2b\n", true, false },
    { "no match", "t=z", "t=z", "", false, false },
};

static struct cp_tag_filter *filter(const char *text)
{
    return text ? cp_tag_filter_new(text, NULL) : NULL;
}

static void test_samples(void)
{
    for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
        struct cp_profile *p = profile_of(rows, 4);
        struct cp_tag_filter *focus = filter(filters[i].focus);
        struct cp_tag_filter *ignore = filter(filters[i].ignore);
        struct cp_label_units units;
        bool focused, ignored;

        check_case(filters[i].what);
        CHECK_INT(cp_label_units_init(&units, p, NULL), CP_OK);
        CHECK_INT(
            cp_filter_tags(p, focus, ignore, &units, &focused, &ignored, NULL),
            CP_OK);
        CHECK_STR(profile_text(p), filters[i].want);
        CHECK_INT(focused, filters[i].focus_matched);
        CHECK_INT(ignored, filters[i].ignore_matched);
        cp_label_units_release(&units);
        cp_tag_filter_free(ignore);
        cp_tag_filter_free(focus);
        cp_profile_free(p);
    }
}

static const struct {
    const char *what, *show, *hide, *want;
    bool show_matched, hide_matched;
} keys[] = {
    { "nothing", NULL, NULL,
      "1,1 m t:a n=1b\n2,2 m t:b n=2b\n3,3 m t:a u:x\n4,4 m\n", true, false },
    { "show", "t", NULL, "1,1 m t:a\n2,2 m t:b\n3,3 m t:a\n4,4 m\n", true,
      false },
    { "show numbers", "n", NULL, "1,1 m n=1b\n2,2 m n=2b\n3,3 m\n4,4 m\n", true,
      false },
    { "hide", NULL, "n|u", "1,1 m t:a\n2,2 m t:b\n3,3 m t:a\n4,4 m\n", true,
      true },
    { "both", "t|u", "t", "1,1 m\n2,2 m\n3,3 m u:x\n4,4 m\n", true, true },
    { "show nothing there", "zz", NULL, "1,1 m\n2,2 m\n3,3 m\n4,4 m\n", false,
      false },
    { "hide nothing there", NULL, "zz",
      "1,1 m t:a n=1b\n2,2 m t:b n=2b\n3,3 m t:a u:x\n4,4 m\n", true, false },
};

static struct cp_regex *regex(const char *pattern)
{
    return pattern ? cp_regex_new(pattern, strlen(pattern), NULL) : NULL;
}

static void test_keys(void)
{
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        struct cp_profile *p = profile_of(rows, 4);
        struct cp_regex *show = regex(keys[i].show);
        struct cp_regex *hide = regex(keys[i].hide);
        bool shown, hidden;

        check_case(keys[i].what);
        CHECK_INT(cp_filter_tag_keys(p, show, hide, &shown, &hidden, NULL),
                  CP_OK);
        CHECK_STR(profile_text(p), keys[i].want);
        CHECK_INT(shown, keys[i].show_matched);
        CHECK_INT(hidden, keys[i].hide_matched);
        cp_regex_free(hide);
        cp_regex_free(show);
        cp_profile_free(p);
    }
}

/* Sets that become equal are merged. */
static void test_reduced_sets_are_shared(void)
{
    struct cp_profile *p = profile_of(rows, 4);
    struct cp_regex *show = regex("t");
    bool shown, hidden;

    CHECK_INT(cp_filter_tag_keys(p, show, NULL, &shown, &hidden, NULL), CP_OK);
    CHECK_INT(p->samples[0].label_set, p->samples[2].label_set);
    CHECK(p->samples[0].label_set != p->samples[1].label_set);
    CHECK_INT(p->samples[3].label_set, 0);
    cp_regex_free(show);
    cp_profile_free(p);
}

static enum cp_status filter_all(struct cp_profile *p,
                                 const struct cp_label_units *units,
                                 struct cp_regex *hide, struct cp_error *err)
{
    struct cp_tag_filter *focus = cp_tag_filter_new("a,t", err);
    struct cp_tag_filter *ignore = focus ? cp_tag_filter_new("n=5b", err) : 0;
    enum cp_status status = CP_ENOMEM;
    bool matched[2];

    if (ignore)
        status = cp_filter_tags(p, focus, ignore, units, &matched[0],
                                &matched[1], err);
    if (status == CP_OK)
        status =
            cp_filter_tag_keys(p, NULL, hide, &matched[0], &matched[1], err);
    cp_tag_filter_free(ignore);
    cp_tag_filter_free(focus);
    return status;
}

static void test_memory_runs_out(void)
{
    enum cp_status status = CP_ENOMEM;

    for (long n = 1; n < 1000 && status != CP_OK; n++) {
        struct cp_profile *p = profile_of(rows, 4);
        struct cp_regex *hide = regex("n");
        struct cp_label_units units;
        struct cp_error err = { 0 };

        (void)cp_label_units_init(&units, p, NULL);
        cp_alloc_fail_at(n);
        status = filter_all(p, &units, hide, &err);
        cp_alloc_fail_at(0);
        CHECK_INT(err.status, status);
        if (status == CP_OK)
            CHECK_STR(profile_text(p), "1,1 m t:a\n3,3 m t:a u:x\n");
        cp_label_units_release(&units);
        cp_regex_free(hide);
        cp_profile_free(p);
    }
    CHECK_INT(status, CP_OK);
}

int main(void)
{
    RUN(test_ranges);
    RUN(test_matches);
    RUN(test_wrong_expressions);
    RUN(test_samples);
    RUN(test_keys);
    RUN(test_reduced_sets_are_shared);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
