/* test_live_table.c - tests src/tool/attach/live_table.c: views and reports. */
#include "tool/attach/live_table.h"

#include <string.h>

#include "check.h"

/* Every view is found by its name and by its key, which the legend shows. */
static void test_views(void)
{
    static const char *const names[] = { "cpu",    "wall",  "heap",
                                         "allocs", "locks", "mutex" };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct cp_live_view *v = cp_live_view_named(names[i]);
        char shown[3] = "  ";

        check_case(names[i]);
        if (!CHECK(v != NULL))
            continue;
        CHECK(cp_live_view_keyed(v->key) == v);
        shown[0] = (char)v->key;
        CHECK(strstr(cp_live_view_keys(), shown) != NULL);
        CHECK(v->title && v->kind && v->hint);
    }
    check_case("unknown");
    CHECK(!cp_live_view_named("frob") && !cp_live_view_named(""));
    CHECK(!cp_live_view_keyed('z') && !cp_live_view_keyed(0));
}

static void test_is_empty(void)
{
    static const char head[] = "Type: cpu\n"
                               "      flat  flat%   sum%        cum   cum%\n";
    char report[256];

    CHECK(cp_live_table_is_empty(head));
    (void)snprintf(report, sizeof(report), "%s  1s 100%% 100%% 1s 100%%  f\n",
                   head);
    CHECK(!cp_live_table_is_empty(report));
    CHECK(!cp_live_table_is_empty("cannot connect\n"));
    CHECK(!cp_live_table_is_empty(""));
}

int main(void)
{
    RUN(test_views);
    RUN(test_is_empty);
    return check_failures != 0;
}
