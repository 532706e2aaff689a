/* test_pieces.c - tests src/base/pieces.c. */
#include "base/alloc.h"
#include "base/out.h"
#include "base/parallel.h"
#include "base/pieces.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

/* Writes its numbers and checks the size of its range. */
static void write_numbers(const void *context, struct cp_piece piece,
                          struct cp_out *out)
{
    const uint32_t *most = context;
    uint32_t from = piece.from, to = piece.to;

    if (to - from > *most || piece.worker >= cp_parallel_width())
        cp_out_cstr(out, "too large a piece");
    for (; from < to; from++) {
        cp_out_u64(out, from);
        cp_out_char(out, ' ');
    }
}

static const struct {
    const char *what;
    uint32_t n, piece;
} cases[] = {
    { "nothing", 0, 10 },         { "one", 1, 10 },
    { "just one piece", 10, 10 }, { "one more", 11, 10 },
    { "pieces of one", 100, 1 },  { "many waves", 5000, 7 },
    { "even", 4096, 64 },
};

static void test_order(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_out got = { .fd = -1 }, want = { .fd = -1 };
        uint32_t all = UINT32_MAX;

        check_case(cases[i].what);
        cp_out_cstr(&got, "head ");
        cp_out_cstr(&want, "head ");
        CHECK_INT(cp_pieces_write(cases[i].n, cases[i].piece, write_numbers,
                                  &cases[i].piece, &got, NULL),
                  CP_OK);
        write_numbers(&all, (struct cp_piece){ 0, cases[i].n, 0 }, &want);
        CHECK_INT(got.len, want.len);
        CHECK(memcmp(got.buf, want.buf, want.len) == 0);
        cp_out_release(&got);
        cp_out_release(&want);
    }
}

static void test_failure_of_the_output(void)
{
    static const uint32_t pieces[] = { 10, 100000 };

    for (size_t i = 0; i < 2; i++) {
        struct cp_out out = { .fd = open("/dev/null", O_RDONLY) };
        struct cp_error err = { 0 };
        enum cp_status status;

        status = cp_pieces_write(100000, pieces[i], write_numbers, &pieces[i],
                                 &out, &err);
        CHECK_INT(status, CP_EIO);
        CHECK_INT(err.status, CP_EIO);
        (void)close(out.fd);
        cp_out_release(&out);
    }
}

static void test_memory_runs_out(void)
{
    enum cp_status status = CP_ENOMEM;
    const uint32_t piece = 100;

    for (long n = 1; n < 100 && status != CP_OK; n++) {
        struct cp_out out = { .fd = -1 };
        struct cp_error err = { 0 };

        cp_alloc_fail_at(n);
        status =
            cp_pieces_write(1000, piece, write_numbers, &piece, &out, &err);
        cp_alloc_fail_at(0);
        CHECK_INT(err.status, status);
        cp_out_release(&out);
    }
    CHECK_INT(status, CP_OK);
}

int main(void)
{
    RUN(test_order);
    RUN(test_failure_of_the_output);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
