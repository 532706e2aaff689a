/* test_jeprof.c - tests src/tool/jeprof/jeprof.c: addresses of services. */
#include "base/arena.h"
#include "tool/jeprof/jeprof.h"

#include "check.h"

static const struct {
    const char *name;
    int seconds;
    const char *want;
} urls[] = {
    { "http://h:1/debug/mem", -1, "http://h:1/debug/mem/pprof/heap" },
    { "http://h:1/debug/mem//", 5, "http://h:1/debug/mem/pprof/heap" },
    { "h:1/mem", -1, "h:1/mem/pprof/heap" },
    { "h:1", -1, "h:1/pprof/profile?seconds=30" },
    { "http://h:1/", 5, "http://h:1/pprof/profile?seconds=5" },
    { "http://mem", -1, "http://mem/pprof/profile?seconds=30" },
    { "http://h:1/x", -1, "http://h:1/x/pprof/profile?seconds=30" },
    { "h:1/pprof/heap", 5, "h:1/pprof/heap" },
    { "h:1/pprof/profile", 5, "h:1/pprof/profile?seconds=5" },
    { "h:1/pprof/profile?seconds=9", 5, "h:1/pprof/profile?seconds=9" },
    { "http://h:1/debug/pprof/allocs", -1, "http://h:1/debug/pprof/allocs" },
    { "https://h.org:1/dump.heap", -1, "https://h.org:1/dump.heap" },
    { "http://h:1/dump?id=3", -1, "http://h:1/dump?id=3" },
    { "unix:/run/x:/debug/mem", -1, "unix:/run/x:/debug/mem" },
};

int main(void)
{
    struct cp_arena arena = { 0 };

    for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
        check_case(urls[i].name);
        CHECK_STR(cp_jeprof_url(urls[i].name, urls[i].seconds, &arena, NULL),
                  urls[i].want);
    }
    cp_arena_release(&arena);
    return check_failures != 0;
}
