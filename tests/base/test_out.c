/* test_out.c - tests src/base/out.c. */
#include "base/alloc.h"
#include "base/out.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

/* Returns the buffer as a C string. */
static const char *text_of(struct cp_out *o)
{
    cp_out_char(o, '\0');
    return o->buf;
}

static void test_pieces(void)
{
    struct cp_out o = { .fd = -1 };

    cp_out_bytes(&o, "abc", 2);
    cp_out_bytes(&o, NULL, 0);
    cp_out_cstr(&o, "-");
    cp_out_str(&o, (struct cp_str){ "xyz", 2 });
    cp_out_char(&o, '.');
    cp_out_fill(&o, '*', 3);
    cp_out_fill(&o, '*', 0);
    cp_out_printf(&o, "%d%s", 7, "!");
    CHECK_STR(text_of(&o), "ab-xy.***7!");
    CHECK_INT(cp_out_finish(&o, NULL), CP_OK);
    cp_out_release(&o);
    CHECK(!o.buf && o.fd == -1);
}

static const struct {
    const char *what, *text;
    size_t width;
    const char *want;
} rights[] = {
    { "padded", "ab", 5, "   ab" },
    { "fits", "ab", 2, "ab" },
    { "wider than the field", "abc", 2, "abc" },
    { "empty", "", 3, "   " },
    { "characters, not bytes", "\xc2\xb5s", 4, "  \xc2\xb5s" },
    { "four bytes", "\xf0\x9f\x98\x80", 2, " \xf0\x9f\x98\x80" },
};

static void test_right(void)
{
    for (size_t i = 0; i < sizeof(rights) / sizeof(rights[0]); i++) {
        struct cp_out o = { .fd = -1 };

        check_case(rights[i].what);
        cp_out_right(&o, rights[i].text, rights[i].width);
        CHECK_STR(text_of(&o), rights[i].want);
        cp_out_release(&o);
    }
}

static const int64_t numbers[] = { 0,         1,         -1,
                                   9,         10,        -10,
                                   99,        100,       123456789012,
                                   INT64_MAX, INT64_MIN, INT64_MIN + 1 };

static void test_numbers(void)
{
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        struct cp_out o = { .fd = -1 };
        char want[128];

        cp_out_i64(&o, numbers[i]);
        cp_out_char(&o, ' ');
        cp_out_u64(&o, (uint64_t)numbers[i]);
        cp_out_char(&o, ' ');
        cp_out_i64_right(&o, numbers[i], 15);
        (void)snprintf(want, sizeof(want), "%" PRId64 " %" PRIu64 " %15" PRId64,
                       numbers[i], (uint64_t)numbers[i], numbers[i]);
        CHECK_STR(text_of(&o), want);
        cp_out_release(&o);
    }
}

/* Much more than the first buffer, in pieces that do not divide it. */
static void test_memory_grows(void)
{
    struct cp_out o = { .fd = -1 };
    int is_same = 1;

    for (int i = 0; i < 200000; i++)
        cp_out_printf(&o, "%07d", i);
    CHECK_INT(o.len, 1400000);
    for (int i = 0; i < 200000; i++) {
        char want[16];

        (void)snprintf(want, sizeof(want), "%07d", i);
        is_same &= memcmp(o.buf + (size_t)i * 7, want, 7) == 0;
    }
    CHECK(is_same);
    cp_out_release(&o);
}

static void test_long_printf(void)
{
    struct cp_out o = { .fd = -1 };

    cp_out_cstr(&o, "x");
    cp_out_printf(&o, "%600000d|", 5);
    CHECK_INT(o.len, 600002);
    CHECK(memcmp(o.buf + o.len - 3, " 5|", 3) == 0);
    cp_out_release(&o);
}

static off_t file_size(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 ? st.st_size : -1;
}

static int open_temporary(void)
{
    FILE *file = tmpfile();
    int fd = dup(fileno(file));

    (void)fclose(file);
    return fd;
}

/* Short pieces are buffered and written by one write(). */
static void test_file_is_buffered(void)
{
    struct cp_out o = { .fd = open_temporary() };
    char text[8] = "";

    cp_out_printf(&o, "%d", 12);
    cp_out_printf(&o, "%d", 34);
    cp_out_cstr(&o, "56");
    CHECK_INT(file_size(o.fd), 0);
    CHECK_INT(cp_out_finish(&o, NULL), CP_OK);
    CHECK_INT(file_size(o.fd), 6);
    CHECK_INT(pread(o.fd, text, 7, 0), 6);
    CHECK_STR(text, "123456");
    CHECK_INT(cp_out_finish(&o, NULL), CP_OK);
    CHECK_INT(file_size(o.fd), 6);
    (void)close(o.fd);
    cp_out_release(&o);
}

static void test_large_file(void)
{
    struct cp_out o = { .fd = open_temporary() };
    char end[8] = "";

    for (int i = 0; i < 300000; i++)
        cp_out_printf(&o, "%06d", i);
    CHECK(o.cap < 1 << 20);
    CHECK_INT(cp_out_finish(&o, NULL), CP_OK);
    CHECK_INT(file_size(o.fd), 1800000);
    CHECK_INT(pread(o.fd, end, 6, 1799994), 6);
    CHECK_STR(end, "299999");
    (void)close(o.fd);
    cp_out_release(&o);
}

static const struct {
    const char *what;
    size_t n;
} joins[] = { { "nothing", 0 }, { "little", 10 }, { "much", 100000 } };

static void test_join(void)
{
    for (size_t i = 0; i < sizeof(joins) / sizeof(joins[0]); i++) {
        struct cp_out from = { .fd = -1 }, memory = { .fd = -1 };
        struct cp_out file = { .fd = open_temporary() };

        check_case(joins[i].what);
        cp_out_cstr(&file, "ab");
        cp_out_cstr(&memory, "ab");
        cp_out_fill(&from, 'x', joins[i].n);
        cp_out_join(&memory, &from);
        CHECK_INT(from.len, 0);
        CHECK_INT(memory.len, joins[i].n + 2);
        cp_out_fill(&from, 'x', joins[i].n);
        cp_out_join(&file, &from);
        CHECK_INT(cp_out_finish(&file, NULL), CP_OK);
        CHECK_INT(file_size(file.fd), joins[i].n + 2);
        (void)close(file.fd);
        cp_out_release(&file);
        cp_out_release(&memory);
        cp_out_release(&from);
    }
}

static void test_first_failure_stays(void)
{
    struct cp_out o = { .fd = open("/dev/null", O_RDONLY) };
    struct cp_error err = { 0 };

    cp_out_cstr(&o, "x");
    CHECK_INT(cp_out_finish(&o, &err), CP_EIO);
    CHECK_STR(err.msg, "write: Bad file descriptor");
    cp_out_fill(&o, 'x', 1 << 20);
    cp_out_printf(&o, "%1000000d", 1);
    CHECK(o.len < 1 << 20);
    CHECK_INT(cp_out_finish(&o, NULL), CP_EIO);
    (void)close(o.fd);
    cp_out_release(&o);
}

static void test_failure_is_joined(void)
{
    struct cp_out from = { .fd = -1 }, to = { .fd = -1 };
    struct cp_error err = { 0 };

    cp_alloc_fail_at(1);
    cp_out_cstr(&from, "x");
    CHECK_INT(from.err.status, CP_ENOMEM);
    CHECK_INT(from.len, 0);
    cp_out_join(&to, &from);
    CHECK_INT(cp_out_finish(&to, &err), CP_ENOMEM);
    CHECK_STR(err.msg, "out of memory");
    cp_out_release(&from);
    cp_out_release(&to);
}

int main(void)
{
    RUN(test_pieces);
    RUN(test_right);
    RUN(test_numbers);
    RUN(test_memory_grows);
    RUN(test_long_printf);
    RUN(test_file_is_buffered);
    RUN(test_large_file);
    RUN(test_join);
    RUN(test_first_failure_stays);
    RUN(test_failure_is_joined);
    return check_failures != 0;
}
