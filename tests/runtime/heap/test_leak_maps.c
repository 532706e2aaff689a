/* test_leak_maps - private readable mappings are returned, others are not. */
#include "runtime/heap/leak_maps.h"

#include "check.h"

static void test_lines(void)
{
    char text[] =
        "55d0-55d1 r--p 00000000 08:01 7   /usr/bin/a\n"
        "55d1-55d2 r-xp 00001000 08:01 7   /usr/bin/a\n"
        "55d3-55d5 rw-p 00003000 08:01 7   /usr/bin/a\n"
        "7f00-7f10 ---p 00000000 00:00 0\n"
        "7f10-7f20 rw-s 00000000 00:01 9   /memfd:x (deleted)\n"
        "7f20-7f30 rwxp 00000000 00:00 0\n"
        "not a line\n"
        "\n"
        "7f40-7f50 rw-p 001d0000 08:01 8   /lib/x86_64-linux-gnu/libc.so.6";
    static const struct cp_leak_mapping want[] = {
        { 0x55d0, 0x55d1, false, true },  { 0x55d1, 0x55d2, false, true },
        { 0x55d3, 0x55d5, false, false }, { 0x7f20, 0x7f30, false, false },
        { 0x7f40, 0x7f50, true, false },
    };
    char *at = text;
    struct cp_leak_mapping m;

    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        CHECK(cp_leak_maps_next(&at, &m));
        CHECK(m.start == want[i].start && m.end == want[i].end);
        CHECK(m.is_libc == want[i].is_libc);
        CHECK(m.is_read_only == want[i].is_read_only);
    }
    CHECK(!cp_leak_maps_next(&at, &m));
    CHECK(!cp_leak_maps_next(&at, &m));
}

int main(void)
{
    RUN(test_lines);
    return check_failures != 0;
}
