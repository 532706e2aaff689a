/* test_simple_name.c - tests src/profile/model/simple_name.c. */
#include "profile/model/simple_name.h"

#include <stdlib.h>

#include "check.h"

static const struct {
    const char *name, *want;
} names[] = {
    { "", "" },
    { "main", "main" },
    { ".main", "main" },
    { "..main", ".main" },
    { ".", "" },
    { "f(int)", "f" },
    { "(int)", "" },
    { "f()", "f" },
    { "a::b(x::y(z))", "a::b" },
    { "pkg.(*T).M", "pkg." },
    { "operator()", "operator()" },
    { "C::operator()(int)", "C::operator()" },
    { "C::operator()", "C::operator()" },
    { "operator(int)", "operator" },
    { "operator ()", "operator " },
    { "foperator()(x)", "foperator()" },
    { "operator()()", "operator()" },
    { "perator()", "perator" },
    { ".operator()(int)", "operator()" },
    { "(anonymous namespace)::f(int)", "(anonymous namespace)::f" },
    { "a::(anonymous namespace)::f", "a::(anonymous namespace)::f" },
    { "(anonymous namespace)(anonymous namespace)(x)",
      "(anonymous namespace)(anonymous namespace)" },
    { "(anonymous namespace", "" },
    { "(anonymous class)::f", "" },
    { "(anonymous namespace)::C::operator()(int) const",
      "(anonymous namespace)::C::operator()" },
    { "std::function<void ()>::x", "std::function<void " },
};

static void test_names(void)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t len = strlen(names[i].name);
        char *exact = malloc(len ? len : 1), text[128];
        struct cp_str got;

        memcpy(exact, names[i].name, len);
        check_case(names[i].name);
        got = cp_simple_name((struct cp_str){ exact, (uint32_t)len });
        CHECK(got.ptr >= exact && got.ptr + got.len <= exact + len);
        (void)snprintf(text, sizeof(text), "%.*s", (int)got.len, got.ptr);
        CHECK_STR(text, names[i].want);
        free(exact);
    }
}

int main(void)
{
    RUN(test_names);
    return check_failures != 0;
}
