/* fuzz_tags.c - applies tag expressions to a profile with labels. */
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "profile/model/build.h"
#include "profile/model/label_units.h"
#include "profile/transform/tag_filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct cp_profile *make_profile(void)
{
    struct cp_builder b = { 0 };
    struct cp_label labels[3] = { { 0 } };

    if (cp_builder_init(&b, NULL) != CP_OK)
        return NULL;
    labels[0].key = cp_builder_str(&b, "key", 3, NULL);
    labels[0].str = cp_builder_str(&b, "value", 5, NULL);
    labels[1].key = cp_builder_str(&b, "bytes", 5, NULL);
    labels[1].str = CP_NONE;
    labels[1].num = 4096;
    labels[2] = labels[1];
    labels[2].key = cp_builder_str(&b, "wait", 4, NULL);
    labels[2].unit = cp_builder_str(&b, "ms", 2, NULL);
    if (cp_builder_label_set(&b, labels, 3, NULL) == CP_NONE)
        abort();
    return cp_builder_take(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cp_profile *p;
    static struct cp_label_units units;
    struct cp_tag_filter *f;
    char *text;

    if (!p) {
        p = make_profile();
        if (!p || cp_label_units_init(&units, p, NULL) != CP_OK)
            abort();
    }
    text = malloc(size + 1);
    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    f = cp_tag_filter_new(text, NULL);
    for (uint32_t i = 0; f && i < p->n_label_sets; i++)
        (void)cp_tag_filter_matches(f, p, &p->label_sets[i], &units);
    cp_tag_filter_free(f);
    free(text);
    return 0;
}
