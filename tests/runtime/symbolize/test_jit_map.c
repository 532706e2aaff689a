/* test_jit_map - names from well-formed and malformed perf maps. */
#include "runtime/symbolize/jit_map.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static char names[8][40];

static void sink(void *context, size_t index, const char *name)
{
    (void)context;
    (void)snprintf(names[index], sizeof(names[0]), "%s", name ? name : "-");
}

static void test_names(void)
{
    static const uint64_t addresses[] = { 0x1fff, 0x100f, 0x1000, 0x1010,
                                          0x3000, 0x5,    0x4000 };
    static const char *const want[] = { "-",   "old", "old",      "-",
                                        "new", "-",   "last line" };
    char text[] = "1000 10 old\n"
                  "3000 20 replaced\n"
                  "\n"
                  "junk\n"
                  "5\n"
                  "5 1\n"
                  "5 1 \n"
                  "zz 1 bad\n"
                  "3000 8 new\n"
                  "ffffffffffffffff ffffffffffffffff wraps\n"
                  "4000 1 last line";

    cp_jit_map_resolve_text(text, addresses, 7, sink, NULL);
    for (size_t i = 0; i < 7; i++)
        CHECK_STR(names[i], want[i]);
}

/* The map of this process; a fifo in its place is ignored. */
static void test_file(void)
{
    static const uint64_t address = 0xabc;
    char path[64];
    FILE *f;

    (void)snprintf(path, sizeof(path), "/tmp/perf-%ld.map", (long)getpid());
    (void)unlink(path);
    cp_jit_map_resolve(&address, 1, sink, NULL);
    CHECK_STR(names[0], "-");
    f = fopen(path, "w");
    if (CHECK(f)) {
        fprintf(f, "abc 4 function foo\n");
        (void)fclose(f);
    }
    cp_jit_map_resolve(&address, 1, sink, NULL);
    CHECK_STR(names[0], "function foo");
    (void)unlink(path);
    if (CHECK(mkfifo(path, 0600) == 0)) /* a read would block */
        cp_jit_map_resolve(&address, 1, sink, NULL);
    CHECK_STR(names[0], "-");
    (void)unlink(path);
}

int main(void)
{
    RUN(test_names);
    RUN(test_file);
    return check_failures != 0;
}
