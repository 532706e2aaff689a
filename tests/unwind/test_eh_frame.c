/* test_eh_frame - entries of well-formed and malformed sections. */
#include "unwind/eh_frame.h"

#include "check.h"
#include "unwind/eh_bytes.h"

struct found {
    uint64_t starts[8], ends[8];
    bool is_signal;
    size_t n, most;
};

static bool take(void *context, const struct cp_fde *fde)
{
    struct found *f = context;

    f->starts[f->n] = fde->start;
    f->ends[f->n] = fde->end;
    f->is_signal = fde->cie.is_signal;
    return ++f->n < f->most;
}

static void two_functions(struct eh_bytes *b, const char *letters)
{
    eh_cie(b, letters, EH_START, 5);
    eh_fde(b, 0x1000, 0x20, "\x41\x0e\x10", 3);
    eh_fde(b, 0x2000, 0x40, "", 0);
    eh_put(b, 0, 4);
}

static void test_section(void)
{
    struct eh_bytes b = { 0 };
    struct found f = { .most = 8 };
    struct cp_eh_bytes bytes;

    two_functions(&b, "zR");
    bytes = eh_section(&b);
    CHECK_INT(cp_eh_frame_each(&bytes, take, &f), 0);
    CHECK_INT(f.n, 2);
    CHECK_INT(f.starts[0], 0x1000);
    CHECK_INT(f.ends[0], 0x1020);
    CHECK_INT(f.starts[1], 0x2000);
    CHECK(!f.is_signal);
    f = (struct found){ .most = 1 };
    CHECK_INT(cp_eh_frame_each(&bytes, take, &f), 0);
    CHECK_INT(f.n, 1);
}

static void test_signal_letter(void)
{
    struct eh_bytes b = { 0 };
    struct found f = { .most = 8 };
    struct cp_eh_bytes bytes;

    two_functions(&b, "zRS");
    bytes = eh_section(&b);
    CHECK_INT(cp_eh_frame_each(&bytes, take, &f), 0);
    CHECK(f.is_signal);
}

/* The table of .eh_frame_hdr, which names the second function only. */
static void test_table(void)
{
    struct eh_bytes b = { 0 };
    struct found f = { .most = 8 };
    struct cp_eh_bytes bytes;
    size_t hdr, second;

    eh_cie(&b, "zR", EH_START, 5);
    eh_fde(&b, 0x1000, 0x20, "", 0);
    second = b.len;
    eh_fde(&b, 0x2000, 0x40, "", 0);
    eh_put(&b, 0, 4);
    hdr = b.len;
    eh_text(&b, "\x01\x1b\x03\x3b", 4);
    eh_put(&b, (uint64_t) - (int64_t)b.len, 4); /* .eh_frame, from here */
    eh_put(&b, 1, 4);
    eh_put(&b, 0x2000, 4);
    eh_put(&b, second - hdr, 4);
    bytes = eh_section(&b);
    bytes.hdr = b.data + hdr;
    CHECK_INT(cp_eh_frame_each(&bytes, take, &f), 0);
    CHECK_INT(f.n, 1);
    CHECK_INT(f.starts[0], 0x2000);
    bytes.frame = NULL;
    b.data[hdr + 2] =
        0xff; /* no count: section order; the header has its address */
    f = (struct found){ .most = 8 };
    CHECK_INT(cp_eh_frame_each(&bytes, take, &f), 0);
    CHECK_INT(f.n, 2);
}

/* Truncated anywhere, and with each byte changed: no read outside, no loop. */
static void test_damage(void)
{
    struct eh_bytes good = { 0 }, b;

    two_functions(&good, "zR");
    for (size_t len = 0; len < good.len; len++) {
        uint8_t exact[256];
        struct cp_eh_bytes bytes = { .start = exact,
                                     .end = exact + len,
                                     .frame = exact };
        struct found f = { .most = 8 };

        memcpy(exact, good.data, len);
        (void)cp_eh_frame_each(&bytes, take, &f);
        CHECK(f.n <= 2);
    }
    for (size_t i = 0; i < good.len * 256; i++) {
        struct cp_eh_bytes bytes;
        struct found f = { .most = 8 };

        b = good;
        b.data[i / 256] = (uint8_t)i;
        bytes = eh_section(&b);
        (void)cp_eh_frame_each(&bytes, take, &f);
        CHECK(f.n <= 2);
    }
}

int main(void)
{
    RUN(test_section);
    RUN(test_signal_letter);
    RUN(test_table);
    RUN(test_damage);
    return check_failures != 0;
}
