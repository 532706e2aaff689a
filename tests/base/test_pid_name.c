/*
 * test_pid_name.c - tests src/base/pid_name.c: {pid} at both ends, and short
 * buffers.
 */
#include "base/pid_name.h"

#include "check.h"

static const struct {
    const char *what, *from, *want;
} names[] = {
    { "in the middle", "cpu.{pid}.pb.gz", "cpu.123.pb.gz" },
    { "alone", "{pid}", "123" },
    { "twice", "{pid}/{pid}", "123/123" },
    { "not there", "cpu.pb.gz", "cpu.pb.gz" },
    { "not whole", "{pid", "{pid" },
};

static void test_expand(void)
{
    char out[32];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        check_case(names[i].what);
        CHECK(cp_pid_name_expand(names[i].from, 123, out, sizeof(out)));
        CHECK_STR(out, names[i].want);
    }
}

static void test_room(void)
{
    char out[8];

    CHECK(!cp_pid_name_expand("", 123, out, sizeof(out)));
    CHECK(cp_pid_name_expand("abcd{pid}", 123, out, sizeof(out)));
    CHECK(!cp_pid_name_expand("abcde{pid}", 123, out, sizeof(out)));
    CHECK(!cp_pid_name_expand("abcdefgh", 123, out, sizeof(out)));
}

int main(void)
{
    RUN(test_expand);
    RUN(test_room);
    return check_failures != 0;
}
