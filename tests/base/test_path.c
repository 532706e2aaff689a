/* test_path.c - tests src/base/path.c. */
#include "base/path.h"

#include <stdlib.h>

#include "check.h"

static const struct {
    const char *path, *want;
} cleans[] = {
    { "", "." },
    { ".", "." },
    { "..", ".." },
    { "/", "/" },
    { "//", "/" },
    { "///a", "/a" },
    { "abc", "abc" },
    { "abc/def", "abc/def" },
    { "a/b/c", "a/b/c" },
    { "../..", "../.." },
    { "../../abc", "../../abc" },
    { "/abc", "/abc" },
    { "abc/", "abc" },
    { "abc/def/", "abc/def" },
    { "./", "." },
    { "../", ".." },
    { "../../", "../.." },
    { "/abc/", "/abc" },
    { "abc//def//ghi", "abc/def/ghi" },
    { "//abc", "/abc" },
    { "abc//", "abc" },
    { "abc/./def", "abc/def" },
    { "/./abc/def", "/abc/def" },
    { "abc/.", "abc" },
    { "abc/def/ghi/../jkl", "abc/def/jkl" },
    { "abc/def/../ghi/../jkl", "abc/jkl" },
    { "abc/def/..", "abc" },
    { "abc/def/../..", "." },
    { "/abc/def/../..", "/" },
    { "abc/def/../../..", ".." },
    { "/abc/def/../../..", "/" },
    { "abc/def/../../../ghi/jkl/../../../mno", "../../mno" },
    { "/../abc", "/abc" },
    { "/../../", "/" },
    { "a/../b:/../../c", "../c" },
    { "abc/./../def", "def" },
    { "abc//./../def", "def" },
    { "abc/../../././../def", "../../def" },
    { "...", "..." },
    { "a/.../b", "a/.../b" },
    { ".hidden/..x", ".hidden/..x" },
    { "..x/../y", "y" },
};

static void test_clean(void)
{
    for (size_t i = 0; i < sizeof(cleans) / sizeof(cleans[0]); i++) {
        size_t len = strlen(cleans[i].path), n;
        char *room = malloc(len + 2), text[64];

        check_case(cleans[i].path);
        n = cp_path_clean(cleans[i].path, len, room);
        CHECK(n <= len + 2);
        (void)snprintf(text, sizeof(text), "%.*s", (int)n, room);
        CHECK_STR(text, cleans[i].want);
        free(room);
    }
}

static struct cp_str str(const char *text)
{
    return (struct cp_str){ text, (uint32_t)strlen(text) };
}

static const char *cstr(struct cp_str s)
{
    static char text[256];

    (void)snprintf(text, sizeof(text), "%.*s", (int)s.len, s.ptr);
    return text;
}

static const struct {
    const char *path, *want;
} bases[] = {
    { "", "." },
    { ".", "." },
    { "/.", "." },
    { "/", "/" },
    { "////", "/" },
    { "x/", "x" },
    { "abc", "abc" },
    { "abc/def", "def" },
    { "a/b/.x", ".x" },
    { "a/b/c.", "c." },
    { "a/b///", "b" },
    { "/usr/lib/x.so", "x.so" },
    { "[vdso]", "[vdso]" },
};

static void test_base(void)
{
    for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
        check_case(bases[i].path);
        CHECK_STR(cstr(cp_path_base(str(bases[i].path))), bases[i].want);
    }
}

static const struct {
    const char *what, *path, *trim, *search, *want;
} trims[] = {
    { "nothing to cut", "/a/b.c", "", "", "/a/b.c" },
    { "relative stays", "a/b.c", "", "", "a/b.c" },
    { "guessed from the search path", "/far/proj/x/b.c", "", "/home/me/proj",
      "x/b.c" },
    { "first place counts", "/proj/proj/b.c", "", "/me/proj", "proj/b.c" },
    { "whole elements only", "/far/myproj/b.c", "", "/me/proj",
      "/far/myproj/b.c" },
    { "an element that only begins so", "/far/projects/b.c", "", "/me/proj",
      "/far/projects/b.c" },
    { "not at the front", "proj/b.c", "", "/me/proj", "proj/b.c" },
    { "not at the end", "/far/proj", "", "/me/proj", "/far/proj" },
    { "each directory in turn", "/far/two/one/b.c", "", "/me/one:/me/two",
      "b.c" },
    { "second directory", "/far/two/b.c", "", "/me/one:/me/two", "b.c" },
    { "slash behind the directory", "/far/proj/b.c", "", "/me/proj/", "b.c" },
    { "no guess with a prefix list", "/far/proj/b.c", "/x", "/me/proj",
      "/far/proj/b.c" },
    { "prefix", "/build/src/b.c", "/build", "", "src/b.c" },
    { "prefix with slash", "/build/src/b.c", "/build/", "", "src/b.c" },
    { "prefix of an element", "/builder/b.c", "/build", "", "/builder/b.c" },
    { "the path itself", "/build", "/build", "", "/build" },
    { "first that fits", "/a/b/c.c", "/x:/a/b:/a", "", "c.c" },
    { "order of the list", "/a/b/c.c", "/a:/a/b", "", "b/c.c" },
    { "empty element cuts the slash", "/a/b.c", "/x:", "", "a/b.c" },
    { "empty element in the middle", "/a/b.c", "/x::/a", "", "a/b.c" },
    { "always", "/proc/self/cwd/a/b.c", "", "", "a/b.c" },
    { "always, with a dot", "/proc/self/cwd/./a/b.c", "", "", "a/b.c" },
    { "always, after the list", "/proc/self/cwd/a.c", "/x", "", "a.c" },
    { "list before it", "/proc/self/cwd/a.c", "/proc", "", "self/cwd/a.c" },
    { "search path guess before it", "/proc/self/cwd/p/a.c", "", "/me/self",
      "cwd/p/a.c" },
    { "empty path", "", "/a", "", "" },
};

static void test_trim(void)
{
    for (size_t i = 0; i < sizeof(trims) / sizeof(trims[0]); i++) {
        check_case(trims[i].what);
        CHECK_STR(cstr(cp_path_trim(str(trims[i].path), trims[i].trim,
                                    trims[i].search)),
                  trims[i].want);
    }
}

int main(void)
{
    RUN(test_clean);
    RUN(test_base);
    RUN(test_trim);
    return check_failures != 0;
}
