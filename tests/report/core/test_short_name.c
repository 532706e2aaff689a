/* test_short_name.c - tests src/report/core/short_name.c. */
#include "base/arena.h"
#include "report/core/short_name.h"

#include "check.h"

/* Compared with the labels of google/pprof's pictures. */
static const struct {
    const char *name, *want;
} cases[] = {
    { "", "" },
    { "main", "main" },
    { "main.main", "main.main" },
    /* Go. */
    { "net/http.(*conn).serve", "http.(*conn).serve" },
    { "github.com/foo/bar/v4.(*Foo).Bar", "bar.(*Foo).Bar" },
    { "github.com/foo/bar/v2/baz.(*Server).Run", "baz.(*Server).Run" },
    { "github.com/foo/bar/v1.Run", "v1.Run" },
    { "github.com/foo/bar/v0.Run", "v0.Run" },
    { "github.com/blah-blah/vegeta/lib.(*Attacker).Attack.func1",
      "lib.(*Attacker).Attack.func1" },
    { "gopkg.in/yaml.v3.Unmarshal", "yaml.v3.Unmarshal" },
    { "a/b/c", "a/b/c" },
    { "encoding/json.(*decodeState).value[...]",
      "json.(*decodeState).value[...]" },
    /* Java. */
    { "java.bar.foo.FooBar.run(java.lang.Runnable)", "FooBar.run" },
    { "com.example.app.Widget.doIt(int)", "Widget.doIt" },
    { "java.util.Map$Entry.get", "Map$Entry.get" },
    { "com.example.Outer$Inner.<init>", "Outer$Inner.<init>" },
    { "com.example.lowercase.method", "com.example.lowercase.method" },
    { "Widget.doIt", "Widget.doIt" },
    /* C++. */
    { "(anonymous namespace)::foo", "foo" },
    { "(anonymous namespace)::Bar::Foo", "Bar::Foo" },
    { "ns1::ns2::Klass::method", "Klass::method" },
    { "cpp::namespace::Class::method<float>()", "Class::method<float>" },
    { "ns::function", "ns::function" },
    { "Klass::method", "Klass::method" },
    { "operator new(unsigned long)", "operator new(unsigned long)" },
    { "_ZN3foo3barEv", "_ZN3foo3barEv" },
    { "[libfoo.so.1]", "[libfoo.so.1]" },
    { "caf\xe9.Bar", "caf\xe9.Bar" },
};

static void test_names(void)
{
    struct cp_arena arena = { 0 };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_str name = { cases[i].name, (uint32_t)strlen(cases[i].name) };
        struct cp_str got = cp_short_name(name, &arena, NULL);
        char text[128];

        check_case(cases[i].name);
        (void)snprintf(text, sizeof(text), "%.*s", (int)got.len, got.ptr);
        CHECK_STR(text, cases[i].want);
    }
    cp_arena_release(&arena);
}

int main(void)
{
    RUN(test_names);
    return check_failures != 0;
}
