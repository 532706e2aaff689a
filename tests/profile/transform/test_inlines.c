/* test_inlines.c - tests src/profile/transform/inlines.c. */
#include "profile/model/profile.h"
#include "profile/transform/inlines.h"

#include "check.h"
#include "profile_fixture.h"

static const struct profile_row rows[] = {
    { "main|a~b~c!prog|?|!lib", { 1, 1 }, "" },
    { "a~b", { 2, 2 }, "" },
};

static void test_outermost_line_stays(void)
{
    struct cp_profile *p = profile_of(rows, 2);

    cp_inlines_drop(p, true);
    CHECK_STR(profile_text(p), "1,1 main|a!prog|?|!lib\n2,2 a\n");
    cp_profile_free(p);
}

static void test_columns(void)
{
    for (int keep = 0; keep < 2; keep++) {
        struct cp_profile *p = profile_of(rows, 2);

        for (uint32_t i = 0; i < p->n_lines; i++) {
            p->lines[i].line = i + 1;
            p->lines[i].column = i + 1;
        }
        cp_inlines_drop(p, keep);
        for (uint32_t i = 0; i < p->n_locations; i++) {
            const struct cp_location *l = &p->locations[i];

            CHECK(l->n_lines < 2);
            CHECK(l->n_lines == 0 || p->lines[l->lines].line == l->lines + 1);
            CHECK(l->n_lines == 0 ||
                  (p->lines[l->lines].column != 0) == (keep != 0));
        }
        cp_profile_free(p);
    }
}

static void test_mappings_forget_too(void)
{
    struct cp_profile *p = profile_of(rows, 2);

    for (uint32_t i = 0; i < p->n_mappings; i++)
        p->mappings[i].has_inline_frames = p->mappings[i].has_functions = true;
    cp_inlines_drop(p, true);
    for (uint32_t i = 0; i < p->n_mappings; i++)
        CHECK(!p->mappings[i].has_inline_frames &&
              p->mappings[i].has_functions);
    CHECK_INT(p->n_mappings, 2);
    cp_profile_free(p);
}

int main(void)
{
    RUN(test_outermost_line_stays);
    RUN(test_columns);
    RUN(test_mappings_forget_too);
    return check_failures != 0;
}
