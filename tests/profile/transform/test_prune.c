/* test_prune.c - tests src/profile/transform/prune.c. */
#include "base/alloc.h"
#include "profile/model/profile.h"
#include "profile/transform/prune.h"
#include "regex/regex.h"

#include "check.h"
#include "profile_fixture.h"

static const struct {
    const char *what, *stack, *drop, *keep, *want;
} drops[] = {
    { "no expression", "main|malloc", "", "", "main|malloc" },
    { "keep alone does nothing", "main|malloc", "", "malloc", "main|malloc" },
    { "the match and below", "main|malloc|sbrk", "malloc", "", "main" },
    { "the outermost match", "main|malloc|a|malloc|b", "malloc", "", "main" },
    { "no match", "main|a", "malloc", "", "main|a" },
    { "whole names only", "main|malloc2", "malloc", "", "main|malloc2" },
    { "whole names of alternatives", "main|xb", "a|b", "", "main|xb" },
    { "each of the alternatives", "main|b", "a|b", "", "main" },
    { "arguments do not count", "main|malloc(long)", "malloc", "", "main" },
    { "nor does a leading dot", "main|.malloc", "malloc", "", "main" },
    { "methods of pointers never match", "main|p.(*T).M", "p.\\(\\*T\\).M", "",
      "main|p.(*T).M" },
    { "nothing but matches stays", "malloc|malloc", "malloc", "",
      "malloc|malloc" },
    { "matches before the first other stay", "malloc|main|malloc|x", "malloc",
      "", "malloc|main" },
    { "only the root matches", "malloc|main", "malloc", "", "malloc|main" },
    { "kept frames are no match", "main|malloc|a", "m.*", "malloc",
      "main|malloc|a" },
    { "kept frames are ordinary ones", "mstart|mkeep|mdrop|x", "m.*", "mkeep",
      "mstart|mkeep" },
    { "inlined: from the match inwards", "main|a~malloc~b|c", "malloc", "",
      "main|a" },
    { "inlined: the outermost match", "main|a~malloc~b~malloc|c", "malloc", "",
      "main|a" },
    { "inlined: the outermost line", "main|malloc~a|c", "malloc", "", "main" },
    { "inlined: kept line", "main|malloc~a|c", ".*c|a", "malloc",
      "main|malloc" },
    { "cut beneath without an ordinary frame", "a~malloc|c", "malloc", "",
      "a|c" },
    { "no names", "main|?|!lib|malloc", "malloc", "", "main|?|!lib" },
    { "no names are ordinary", "?|malloc", "malloc", "", "?" },
    { "an empty name does not match", "main|@a.c|x", ".*", "main|x",
      "main|@a.c|x" },
};

static uint32_t add_str(struct cp_profile *p, const char *text)
{
    return cp_strtab_add(&p->strings, text, strlen(text), NULL);
}

static struct cp_profile *profile_with(const char *stack, const char *drop,
                                       const char *keep)
{
    struct profile_row row = { stack, { 1, 1 }, "" };
    struct cp_profile *p = profile_of(&row, 1);

    p->drop_frames = add_str(p, drop);
    p->keep_frames = add_str(p, keep);
    return p;
}

/* Returns the stack of the only sample. */
static const char *stack_text(const struct cp_profile *p)
{
    static char text[256];

    (void)snprintf(text, sizeof(text), "%.200s", profile_text(p) + 4);
    text[strcspn(text, "\n")] = '\0';
    return text;
}

static void test_drop(void)
{
    for (size_t i = 0; i < sizeof(drops) / sizeof(drops[0]); i++) {
        struct cp_profile *p =
            profile_with(drops[i].stack, drops[i].drop, drops[i].keep);

        check_case(drops[i].what);
        CHECK_INT(cp_prune_uninteresting(p, NULL), CP_OK);
        CHECK_STR(stack_text(p), drops[i].want);
        cp_profile_free(p);
    }
}

/* Cutting a location affects all stacks, even those that stay. */
static void test_several_samples(void)
{
    static const struct profile_row rows[] = {
        { "main|a~malloc|x", { 1, 1 }, "" },
        { "a~malloc|main", { 2, 2 }, "" },
        { "main|b", { 3, 3 }, "" },
        { "", { 4, 4 }, "" }
    };
    struct cp_profile *p = profile_of(rows, 4);

    p->drop_frames = add_str(p, "malloc");
    CHECK_INT(cp_prune_uninteresting(p, NULL), CP_OK);
    CHECK_STR(profile_text(p), "1,1 main|a\n2,2 a|main\n3,3 main|b\n4,4\n");
    cp_profile_free(p);
}

static const struct {
    const char *what, *drop, *keep, *want;
} wrongs[] = {
    { "drop", "(", "", "missing closing )" },
    { "keep", "a", "[", "missing closing ]" },
};

static void test_wrong_expressions(void)
{
    for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
        struct cp_profile *p =
            profile_with("main|a", wrongs[i].drop, wrongs[i].keep);
        struct cp_error err = { 0 };

        check_case(wrongs[i].what);
        CHECK(cp_prune_uninteresting(p, &err) != CP_OK);
        CHECK(strstr(err.msg, wrongs[i].want));
        CHECK_STR(stack_text(p), "main|a");
        cp_profile_free(p);
    }
}

static const struct {
    const char *what, *stack, *want;
} files[] = {
    { "with and without names", "main|a!lib.so.2|!lib.so.2", "main" },
    { "in a folder", "main|!/usr/lib/lib.so.2", "main" },
    { "only the innermost", "a!lib.so|main|b!lib.so", "a!lib.so|main" },
    { "another file", "main|!other.so", "main|!other.so" },
    { "the name's begin", "main|!mylib.so", "main|!mylib.so" },
    { "nothing else", "!lib.so|!lib.so", "!lib.so|!lib.so" },
    { "no mapping", "main|?", "main|?" },
};

static void test_files(void)
{
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        struct cp_profile *p = profile_with(files[i].stack, "", "");

        check_case(files[i].what);
        cp_prune_file(p, "lib.so");
        CHECK_STR(stack_text(p), files[i].want);
        cp_profile_free(p);
    }
}

static const struct {
    const char *what, *stack, *pattern, *want;
} froms[] = {
    { "the match stays", "main|a|b|c", "^a$", "main|a" },
    { "the innermost match", "main|a|b|a|c", "^a$", "main|a|b|a" },
    { "not anchored", "main|alpha|b", "lph", "main|alpha" },
    { "no match", "main|a", "zzz", "main|a" },
    { "the leaf", "main|a", "^a$", "main|a" },
    { "arguments do not count", "main|a(int)|b", "int", "main|a(int)|b" },
    { "inlined: inner lines go", "main|a~b~c|d", "^b$", "main|a~b" },
    { "inlined: the innermost match", "main|a~b~a~c|d", "^a$", "main|a~b~a" },
    { "a file does not match", "main|a@f.c|b", "f\\.c", "main|a@f.c|b" },
    { "an empty name does not match", "main|@a.c|x", "^(|main)$", "main" },
    { "no names", "main|?|a|?", "^a$", "main|?|a" },
};

static void test_from(void)
{
    for (size_t i = 0; i < sizeof(froms) / sizeof(froms[0]); i++) {
        struct cp_profile *p = profile_with(froms[i].stack, "", "");
        struct cp_regex *re =
            cp_regex_new(froms[i].pattern, strlen(froms[i].pattern), NULL);

        check_case(froms[i].what);
        CHECK_INT(cp_prune_from(p, re, NULL), CP_OK);
        CHECK_STR(stack_text(p), froms[i].want);
        cp_regex_free(re);
        cp_profile_free(p);
    }
}

static void test_memory_runs_out(void)
{
    enum cp_status status = CP_ENOMEM;

    for (long n = 1; n < 1000 && status != CP_OK; n++) {
        struct cp_profile *p = profile_with("main|a|malloc", "malloc|x", "x");
        struct cp_regex *re = cp_regex_new("main", 4, NULL);
        struct cp_error err = { 0 };

        cp_alloc_fail_at(n);
        status = cp_prune_uninteresting(p, &err);
        if (status == CP_OK)
            status = cp_prune_from(p, re, &err);
        cp_alloc_fail_at(0);
        CHECK_INT(err.status, status == CP_OK ? CP_OK : CP_ENOMEM);
        cp_regex_free(re);
        cp_profile_free(p);
    }
    CHECK_INT(status, CP_OK);
}

int main(void)
{
    RUN(test_drop);
    RUN(test_several_samples);
    RUN(test_files);
    RUN(test_wrong_expressions);
    RUN(test_from);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
