/*
 * test_demangle.c - tests src/symbol/demangle/demangle.c, demangle_d.c and
 * demangle_strip.c. Expected names are those of google/pprof, except for names
 * that it demangles wrongly.
 */
#include "symbol/demangle/demangle_d.h"

#include <stdlib.h>

#include "check.h"

static const struct {
    const char *name, *simple, *templates, *full; /* NULL: not mangled */
} names[] = {
    { "main", NULL, NULL, NULL },
    { "", NULL, NULL, NULL },
    { "_", NULL, NULL, NULL },
    { "_Z", NULL, NULL, NULL },
    { "_Z9short", NULL, NULL, NULL },
    { "_R", NULL, NULL, NULL },
    { "$s4main3fooyyF", NULL, NULL, NULL },
    { "_ZN3foo3barIiEEvT_", "foo::bar", "foo::bar<int>",
      "void foo::bar<int>(int)" },
    { "_ZN3foo3barEv.isra.0", "foo::bar", "foo::bar", "foo::bar()" },
    { "_ZN3foo3barEv.part.0.constprop.1", "foo::bar", "foo::bar",
      "foo::bar()" },
    { "__ZN3foo3barEv", "foo::bar", "foo::bar", "foo::bar()" },
    { "_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector::push_back",
      "std::vector<int, std::allocator<int> >::push_back",
      "std::vector<int, std::allocator<int> >::push_back(int const&)" },
    { "_ZN12_GLOBAL__N_11fIiEEvv", "(anonymous namespace)::f",
      "(anonymous namespace)::f<int>", "void (anonymous namespace)::f<int>()" },
    { "_ZZ1fvENKUlvE_clEv", "f()::{lambda()#1}::operator()",
      "f()::{lambda()#1}::operator()",
      "f()::{lambda()#1}::operator()() const" },
    { "_ZN1AIFvvEE3getEv", "A::get", "A<void ()>::get", "A<void ()>::get()" },
    { "_ZZ1fiENKUliE_clEi", "f()::{lambda(int)#1}::operator()",
      "f()::{lambda(int)#1}::operator()",
      "f(int)::{lambda(int)#1}::operator()(int) const" },
    { "_ZZNK1A1fEiE1x", "A::f() const::x", "A::f() const::x",
      "A::f(int) const::x" },
    { "_ZlsIiEvT_S0_", "operator<<", "operator<< <int>",
      "void operator<< <int>(int, int)" },
    { "_ZltIiEvT_S0_", "operator<", "operator< <int>",
      "void operator< <int>(int, int)" },
    { "_ZrsIiEvT_S0_", "operator>>", "operator>><int>",
      "void operator>><int>(int, int)" },
    { "_ZN1AptEv", "A::operator->", "A::operator->", "A::operator->()" },
    { "_ZN1AclIiEEvT_", "A::operator()", "A::operator()<int>",
      "void A::operator()<int>(int)" },
    { "_ZN1AcvSt6vectorIiSaIiEEEv", "A::operator std::vector",
      "A::operator std::vector<int, std::allocator<int> >",
      "A::operator std::vector<int, std::allocator<int> >()" },
    { "_ZN1PI1MN1QIS0_JEEEJEE3runEv", "P::run", "P<M, Q<M> >::run",
      "P<M, Q<M> >::run()" },
    { "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE",
      "core::fmt::Formatter::pad", "core::fmt::Formatter::pad",
      "core::fmt::Formatter::pad" },
    { "_ZN5alloc3vec16Vec$LT$T$C$A$GT$7reserve17h23ef4a957521aa63E",
      "alloc::vec::Vec<T,A>::reserve", "alloc::vec::Vec<T,A>::reserve",
      "alloc::vec::Vec<T,A>::reserve" },
    { "_RINvNtC3std3mem8align_ofjE", "std::mem::align_of::<>",
      "std::mem::align_of::<usize>", "std::mem::align_of::<usize>" },
    { "_RNvXCs1_1aNtB2_1TINtB2_1FhE1f", "<a::T as a::F<>>::f",
      "<a::T as a::F<u8>>::f", "<a::T as a::F<u8>>::f" },
    { "_RNvC1a1b.llvm.123", "a::b", "a::b", "a::b" },
    { "_RNCNvC1a1bs_0", "a::b::{closure#1}", "a::b::{closure#1}",
      "a::b::{closure#1}" },
    { "_RINvC1a1bRShTlEKj1f_DNtB2_1TEL_FG_RL0_hEuE", "a::b::<>",
      "a::b::<&[u8], (i32,), 31, dyn a::T, for<'a> fn(&'a u8)>",
      "a::b::<&[u8], (i32,), 31, dyn a::T, for<'a> fn(&'a u8)>" },
    { "_RINvC1a1bKb1_Kc41_Kan7_E", "a::b::<>", "a::b::<true, 'A', -7>",
      "a::b::<true, 'A', -7>" },
    { "_RINvC1a1bDINtB2_1FTlEEp6OutputhEL_FUKCOhEuE", "a::b::<>",
      "a::b::<dyn a::F<(i32,), Output = u8>, unsafe extern \"C\" fn(*mut u8)>",
      "a::b::<dyn a::F<(i32,), Output = u8>, unsafe extern \"C\" fn(*mut "
      "u8)>" },
    { "_RNvCu3foo1b", "punycode{foo}::b", "punycode{foo}::b",
      "punycode{foo}::b" },
    { "_RNvC1a", NULL, NULL, NULL },
    { "_RNvB_1a", NULL, NULL, NULL },
    { "_RIC1aFGzzzzzzzz_EuE", NULL, NULL, NULL },
    /* libiberty drops the first digit of 128-bit constants (a name of rustc).
     */
    { "_RNvXs8Z_NtNtCsgVdDwkt78Uu_4jiff4util8rangeintINtB6_5ri128Knn80000000000"
      "000000000000000000000_Kn7fffffffffffffffffffffffffffffff_ENtNtCs8NwYtU1M"
      "ohg_4core3fmt7Display3fmtBa_",
      "<jiff::util::rangeint::ri128<> as core::fmt::Display>::fmt",
      "<jiff::util::rangeint::ri128<-0x80000000000000000000000000000000, "
      "0x7fffffffffffffffffffffffffffffff> as core::fmt::Display>::fmt",
      "<jiff::util::rangeint::ri128<-0x80000000000000000000000000000000, "
      "0x7fffffffffffffffffffffffffffffff> as core::fmt::Display>::fmt" },
    /* libiberty counts the lifetimes of a binder in a hidden path: 28 s. */
    { "_RNvXXCs_1FFFGFCs1X_1FFFFFEFFFFEF2FFFEFFFf", NULL, NULL, NULL },
    { "_D3std5stdio12__T5writeTiZ5writeFiZv", "std.stdio.write.write",
      "std.stdio.write!(int).write", "std.stdio.write!(int).write(int)" },
    { "_D3foo3bar3bazMFiZv", "foo.bar.baz", "foo.bar.baz", "foo.bar.baz(int)" },
};

static void check_name(const char *name, enum cp_demangle_mode mode,
                       const char *want)
{
    char out[256];
    bool is_mangled = cp_demangle(name, mode, out, sizeof(out));

    CHECK_STR(is_mangled ? out : NULL, want);
}

static void test_modes(void)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        check_case(names[i].name);
        check_name(names[i].name, CP_DEMANGLE_NONE, NULL);
        check_name(names[i].name, CP_DEMANGLE_SIMPLE, names[i].simple);
        check_name(names[i].name, CP_DEMANGLE_TEMPLATES, names[i].templates);
        check_name(names[i].name, CP_DEMANGLE_FULL, names[i].full);
    }
}

/* Without a registered demangler, D names are unknown. */
static void test_d_is_apart(void)
{
    char out[64];

    cp_demangle_also(NULL);
    CHECK(!cp_demangle("_D3foo3barFZv", CP_DEMANGLE_FULL, out, sizeof(out)));
    cp_demangle_also(cp_demangle_d);
    CHECK(cp_demangle("_D3foo3barFZv", CP_DEMANGLE_FULL, out, sizeof(out)));
}

static void test_cut(void)
{
    char out[8] = "xxxxxxx";

    CHECK(cp_demangle("_ZN3foo3barEv", CP_DEMANGLE_SIMPLE, out, 5));
    CHECK_STR(out, "foo:");
    CHECK(cp_demangle("_ZN3foo3barEv", CP_DEMANGLE_FULL, out, 1));
    CHECK_STR(out, "");
    CHECK(!cp_demangle("_ZN3foo3barEv", CP_DEMANGLE_FULL, out, 0));
    CHECK(cp_demangle("_D3foo3barFZv", CP_DEMANGLE_FULL, out, 5));
    CHECK_STR(out, "foo.");
}

/* Each type contains the previous one twice: 2^40 letters in the end. */
static void test_explosive_name(void)
{
    char name[512] = "_Z1f1AIiiE", *at = name + strlen(name);
    char *out = malloc(1 << 16);
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

    if (!CHECK(out != NULL))
        return;
    for (int i = 0; i < 34; i++) {
        char ref[8] = { 'S', i ? digits[i - 1] : '_', i ? '_' : '\0', '\0' };

        at += sprintf(at, "S_I%s%sE", ref, ref);
    }
    (void)cp_demangle(name, CP_DEMANGLE_FULL, out, 1 << 16);
    (void)cp_demangle(name, CP_DEMANGLE_SIMPLE, out, 1 << 16);
    CHECK(strlen(out) < 1 << 16);
    free(out);
}

static const struct {
    const char *name, *simple, *templates;
} readable[] = {
    { "main", "main", "main" },
    { "foo(int)", "foo(int)", "foo(int)" },
    { "operator new(unsigned long)", "operator new(unsigned long)",
      "operator new(unsigned long)" },
    { "std::vector<int, x<y> >::push_back(int const&)",
      "std::vector::push_back", "std::vector<int, x<y> >::push_back" },
    { "void f<int>(int)", "void f", "void f<int>" },
    { "a::b(int", "a::b(int", "a::b(int" },
    { "a::b)(", "a::b)(", "a::b)(" },
    { "a::b>c", "a::b>c", "a::b>c" },
    { "a<b", "a<b", "a<b" },
    { "std::operator<<(std::ostream&, int)", "std::operator<<",
      "std::operator<<" },
    { "a()::Foo::operator()(int) const", "a::Foo::operator() const",
      "a::Foo::operator() const" },
    { "(anonymous namespace)::foo(int)", "(anonymous namespace)::foo",
      "(anonymous namespace)::foo" },
    { "Foo<int>::operator->() const", "Foo::operator-> const",
      "Foo<int>::operator-> const" },
    { "x::y[abi:cxx11](int)", "x::y[abi:cxx11]", "x::y[abi:cxx11]" },
    { "main.(*T[...]).M", "main.(*T[...]).M", "main.(*T[...]).M" },
    { "main.Map[go.shape.int].func1", "main.Map[go.shape.int].func1",
      "main.Map[go.shape.int].func1" },
    { "java.lang.Object.<init>", "java.lang.Object.<init>",
      "java.lang.Object.<init>" },
};

static void test_strip(void)
{
    char name[128];

    for (size_t i = 0; i < sizeof(readable) / sizeof(readable[0]); i++) {
        check_case(readable[i].name);
        cp_demangle_strip(strcpy(name, readable[i].name), CP_DEMANGLE_SIMPLE);
        CHECK_STR(name, readable[i].simple);
        cp_demangle_strip(strcpy(name, readable[i].name),
                          CP_DEMANGLE_TEMPLATES);
        CHECK_STR(name, readable[i].templates);
        cp_demangle_strip(strcpy(name, readable[i].name), CP_DEMANGLE_FULL);
        CHECK_STR(name, readable[i].name);
        cp_demangle_strip(strcpy(name, readable[i].name), CP_DEMANGLE_NONE);
        CHECK_STR(name, readable[i].name);
    }
}

int main(void)
{
    cp_demangle_also(cp_demangle_d);
    test_modes();
    RUN(test_d_is_apart);
    RUN(test_cut);
    RUN(test_explosive_name);
    test_strip();
    return check_failures != 0;
}
