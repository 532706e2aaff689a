/* test_bytes.c - tests src/base/bytes.c. */
#include "base/bytes.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

/* Returns a descriptor of a file of len bytes; byte i is i modulo 251. */
static int open_file(size_t len)
{
    FILE *file = tmpfile();
    int fd;

    for (size_t i = 0; i < len; i++)
        (void)fputc((int)(i % 251), file);
    (void)fflush(file);
    fd = dup(fileno(file));
    (void)fclose(file);
    (void)lseek(fd, 0, SEEK_SET);
    return fd;
}

static int is_as_written(const struct cp_bytes *b)
{
    for (size_t i = 0; i < b->len; i++)
        if (b->data[i] != i % 251)
            return 0;
    return 1;
}

static const struct {
    const char *what;
    size_t len, limit;
    enum cp_status want;
} files[] = {
    { "empty", 0, 10, CP_OK },
    { "one byte", 1, 10, CP_OK },
    { "a page", 4096, 4096, CP_OK },
    { "more than a page", 5000, 1 << 20, CP_OK },
    { "many pages", 300000, 1 << 20, CP_OK },
    { "as much as allowed", 300000, 300000, CP_OK },
    { "one byte too many", 300001, 300000, CP_EFORMAT },
    { "nothing allowed", 1, 0, CP_EFORMAT },
};

static void test_files(void)
{
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        int fd = open_file(files[i].len);
        struct cp_bytes b = { 0 };
        struct cp_error err = { 0 };

        check_case(files[i].what);
        CHECK_INT(cp_bytes_read_fd(&b, fd, files[i].limit, &err),
                  files[i].want);
        CHECK_INT(err.status, files[i].want);
        CHECK(files[i].want != CP_OK || b.len == files[i].len);
        CHECK(is_as_written(&b));
        cp_bytes_release(&b);
        CHECK(!b.data && !b.mapped);
        (void)close(fd);
    }
}

static void *write_pipe(void *arg)
{
    int fd = *(int *)arg;

    for (size_t i = 0; i < 200000; i++) {
        unsigned char c = (unsigned char)(i % 251);

        (void)!write(fd, &c, 1);
    }
    (void)close(fd);
    return NULL;
}

static void test_pipe(void)
{
    struct cp_bytes b = { 0 };
    pthread_t writer;
    int fds[2];

    CHECK_INT(pipe(fds), 0);
    CHECK_INT(pthread_create(&writer, NULL, write_pipe, &fds[1]), 0);
    CHECK_INT(cp_bytes_read_fd(&b, fds[0], 1 << 20, NULL), CP_OK);
    (void)pthread_join(writer, NULL);
    CHECK_INT(b.len, 200000);
    CHECK(is_as_written(&b));
    cp_bytes_release(&b);
    (void)close(fds[0]);
}

static void test_what_cannot_be_read(void)
{
    struct cp_bytes b = { 0 };
    struct cp_error err = { 0 };

    CHECK_INT(cp_bytes_read_file(&b, "no/such/file", 10, &err), CP_EIO);
    CHECK_STR(err.msg, "open: No such file or directory");
    CHECK_INT(cp_bytes_read_file(&b, ".", 10, &err), CP_EIO);
    CHECK_STR(err.msg, "read: Is a directory");
    CHECK_INT(cp_bytes_read_fd(&b, -1, 10, &err), CP_EIO);
    CHECK_STR(err.msg, "read: Bad file descriptor");
    cp_bytes_release(&b);
}

static void test_read_file(void)
{
    struct cp_bytes b = { 0 };

    CHECK_INT(cp_bytes_read_file(&b, "meson.build", 1 << 20, NULL), CP_OK);
    CHECK(b.len > 10 && memchr(b.data, '\n', b.len));
    cp_bytes_release(&b);
}

static void test_reserve_keeps(void)
{
    struct cp_bytes b = { 0 };
    struct cp_error err = { 0 };
    size_t mapped;

    CHECK_INT(cp_bytes_reserve(&b, 10, NULL), CP_OK);
    CHECK(b.data && b.mapped >= 10);
    for (b.len = 0; b.len < 10; b.len++)
        b.data[b.len] = (uint8_t)b.len;
    CHECK_INT(cp_bytes_reserve(&b, 10 << 20, NULL), CP_OK);
    CHECK(is_as_written(&b) && b.mapped >= 10 << 20);
    b.data[(10 << 20) - 1] = 1;
    mapped = b.mapped;
    CHECK_INT(cp_bytes_reserve(&b, 5, NULL), CP_OK);
    CHECK_INT(b.mapped, mapped);
    CHECK_INT(cp_bytes_reserve(&b, SIZE_MAX, &err), CP_ENOMEM);
    CHECK_INT(cp_bytes_reserve(&b, SIZE_MAX / 4, &err), CP_ENOMEM);
    CHECK_INT(err.status, CP_ENOMEM);
    CHECK(is_as_written(&b) && b.mapped == mapped);
    cp_bytes_release(&b);
}

static const struct {
    const char *what;
    size_t from, to;
    size_t gone_from, gone_to; /* discarded range, in pages */
} discards[] = {
    { "within a page", 10, 4000, 0, 0 },
    { "over a border", 10, 4100, 0, 0 },
    { "a whole page", 0, 4096, 0, 1 },
    { "one of three", 1, 3 * 4096 - 1, 1, 2 },
    { "nothing", 4096, 4096, 0, 0 },
    { "all", 0, 4 * 4096, 0, 4 },
};

static void test_discard(void)
{
    for (size_t i = 0; i < sizeof(discards) / sizeof(discards[0]); i++) {
        struct cp_bytes b = { 0 };

        check_case(discards[i].what);
        CHECK_INT(cp_bytes_reserve(&b, 4 * 4096, NULL), CP_OK);
        memset(b.data, 1, 4 * 4096);
        cp_bytes_discard(&b, discards[i].from, discards[i].to);
        for (size_t k = 0; k < 4; k++) {
            int is_gone = k >= discards[i].gone_from && k < discards[i].gone_to;

            CHECK_INT(b.data[k * 4096], !is_gone);
            CHECK_INT(b.data[k * 4096 + 4095], !is_gone);
        }
        cp_bytes_release(&b);
    }
}

int main(void)
{
    RUN(test_files);
    RUN(test_pipe);
    RUN(test_what_cannot_be_read);
    RUN(test_read_file);
    RUN(test_reserve_keeps);
    RUN(test_discard);
    return check_failures != 0;
}
