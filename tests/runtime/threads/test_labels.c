/* test_labels - sets of labels, their numbers and their limits. */
#include "runtime/threads/labels.h"

#include <stdlib.h>

#include "check.h"

static uint32_t with(uint32_t set, const char *key, const char *value)
{
    struct cp_error err = { 0 };
    uint32_t out = 77;

    CHECK(cp_labels_change(set, key, value, &out, &err) == CP_OK);
    return out;
}

static void test_sets(void)
{
    const struct cp_label_pair *pairs;
    uint32_t a = with(0, "b", "1"), ab = with(a, "a", "2");

    CHECK(a != 0 && ab != 0 && a != ab);
    CHECK_INT(cp_labels_get(ab, &pairs), 2);
    CHECK_STR(pairs[0].key, "a");
    CHECK_STR(pairs[0].value, "2");
    CHECK_STR(pairs[1].key, "b");
    CHECK_INT(with(with(0, "a", "2"), "b", "1"), ab); /* in any order */
    CHECK_INT(with(ab, "a", NULL), a);
    CHECK_INT(with(a, "b", NULL), 0);
    CHECK_INT(with(a, "zzz", NULL), a); /* absent before */
    CHECK(with(a, "b", "3") != a);
    CHECK_INT(with(with(a, "b", "3"), "b", "1"), a);
    CHECK_INT(cp_labels_get(0, &pairs), 0);
    CHECK_INT(cp_labels_get(UINT32_MAX, &pairs), 0);
}

static void test_limits(void)
{
    char *long_text = malloc(CP_LABELS_MAX_TEXT + 2), key[16];
    struct cp_error err = { 0 };
    uint32_t set = 0, out = 77;

    memset(long_text, 'x', CP_LABELS_MAX_TEXT + 1);
    long_text[CP_LABELS_MAX_TEXT + 1] = '\0';
    CHECK(cp_labels_change(0, long_text, "v", &out, &err) == CP_EUSAGE);
    CHECK_STR(err.msg, "key of a label: longer than 1024 bytes");
    CHECK(cp_labels_change(0, "k", long_text, &out, &err) == CP_EUSAGE);
    CHECK(cp_labels_change(0, NULL, "v", &out, &err) == CP_EUSAGE);
    CHECK_STR(err.msg, "key of a label: missing");
    CHECK_INT(out, 77);
    for (int i = 0; i < CP_LABELS_MAX_PAIRS; i++) {
        (void)snprintf(key, sizeof(key), "k%02d", i);
        set = with(set, key, "v");
    }
    CHECK(cp_labels_change(set, "one more", "v", &out, &err) == CP_EUSAGE);
    CHECK_STR(err.msg, "more than 32 labels on a thread");
    CHECK_INT(with(set, "k00", "v"), set);
    free(long_text);
}

/* Unbounded label values reach the limit; known sets still work. */
static void test_set_limit(void)
{
    struct cp_error err = { 0 };
    enum cp_status status = CP_OK;
    uint32_t out, known = with(0, "known", "1");
    char value[16];

    for (int i = 0; i < 2 * CP_LABELS_MAX_SETS && status == CP_OK; i++) {
        (void)snprintf(value, sizeof(value), "%d", i);
        status = cp_labels_change(0, "id", value, &out, &err);
    }
    CHECK_INT(status, CP_ENOMEM);
    CHECK_STR(err.msg, "too many different labels");
    CHECK_INT(with(0, "known", "1"), known);
}

int main(void)
{
    RUN(test_sets);
    RUN(test_limits);
    RUN(test_set_limit);
    return check_failures != 0;
}
