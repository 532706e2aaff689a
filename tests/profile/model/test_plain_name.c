/* test_plain_name.c - tests src/profile/model/plain_name.c. */
#include "profile/model/plain_name.h"

#include "check.h"

static const struct {
    const char *name, *want;
} cases[] = {
    { "", "" },
    { "main", "main" },
    { "f(int, char const*)", "f" },
    { "A::f() const", "A::f" },
    { "A::f(B (*)(int)) const::g", "A::f::g" },
    { "std::vector<int, std::allocator<int> >::push_back(int&&)",
      "std::vector::push_back" },
    { "std::__throw(char const*, int)@@GLIBCXX_3.4", "std::__throw@@GLIBCXX_"
                                                     "3.4" },
    { "(anonymous namespace)::f(int)", "(anonymous namespace)::f" },
    { "A::operator()(int) const", "A::operator()" },
    { "A::operator<(A const&)", "A::operator<" },
    { "A::operator<< <int>(int)", "A::operator<< " },
    { "A::operator->() const", "A::operator->" },
    { "A::operator->*(int)", "A::operator->*" },
    { "f<(A)1>", "f" },
    { "f<sizeof (p->q)>()", "f" },
    { "<T as Trait>::f", "::f" },
    { "open(", "open(" },
    { "f<int", "f<int" },
    { "f)", "f)" },
    { "a>b", "a>b" },
    { "f(a>b", "f(a>b" },
};

int main(void)
{
    char out[128];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t len = strlen(cases[i].name);

        check_case(cases[i].name);
        len = cp_plain_name(cases[i].name, len, out);
        out[len] = '\0';
        CHECK_STR(out, cases[i].want);
    }
    return check_failures != 0;
}
