/* test_content.c - tests src/tool/input/content.c. */
#include "tool/input/content.h"

#include <string.h>

#include "check.h"

static const struct {
    const char *name, *bytes;
    size_t len;
    const char *words; /* NULL: may be a profile */
} contents[] = {
    { "nothing", "", 0, NULL },
    { "page", "<!doctype HTML><p>", 18, "web page" },
    { "page after blanks", "\r\n <html>", 9, "web page" },
    { "cut page", "<htm", 4, NULL },
    { "trace", "go 1.22 trace\0\0\0more", 20, "execution trace" },
    { "old trace", "go 1.9 trace\0\0\0\0", 16, "execution trace" },
    { "cut trace", "go 1.22 trace", 13, NULL },
    { "goroutines", "goroutine 1 [running]:\nmain.main()\n", 36, "debug=2" },
    { "goroutine profile", "goroutine profile: total 8\n", 27, NULL },
    { "gzip", "\x1f\x8b\x08", 3, NULL },
    { "zeros", "\0\0\0", 3, NULL },
};

static void test_other(void)
{
    for (size_t i = 0; i < sizeof(contents) / sizeof(contents[0]); i++) {
        const char *words =
            cp_content_other(contents[i].bytes, contents[i].len);

        check_case(contents[i].name);
        CHECK((words != NULL) == (contents[i].words != NULL));
        if (words && contents[i].words)
            CHECK(strstr(words, contents[i].words) != NULL);
    }
}

int main(void)
{
    RUN(test_other);
    return check_failures != 0;
}
