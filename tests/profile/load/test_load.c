/* test_load.c - tests src/profile/load/load.c. */
#include "base/alloc.h"
#include "base/bytes.h"
#include "profile/load/load.h"
#include "profile/model/profile.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <zstd.h>

#include "check.h"
#include "profile_fixture.h"
#include "proto_fixture.h"

#define PROTO "6:'' 6:'n' 6:'f' 1:{1:1} 5:{1:1 2:2} 4:{1:1 4:{1:1}} 2:{1:1 2:5}"
#define COUNT "goroutine profile: total 1\n1 @ 0x11 0x21\n"

enum packing { PLAIN, GZIP, ZSTD, GZIP_TWICE };

static struct cp_bytes packed(struct cp_bytes plain, enum packing how)
{
    size_t most = plain.len + 1000, len = 0;
    char *room = malloc(most);
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);

    if (how == ZSTD)
        len = ZSTD_compress(room, most, plain.data, plain.len, 1);
    else
        len = libdeflate_gzip_compress(c, plain.data, plain.len, room, most);
    cp_bytes_release(&plain);
    plain = bytes_of(room, len);
    libdeflate_free_compressor(c);
    free(room);
    return how == GZIP_TWICE ? packed(plain, GZIP) : plain;
}

/*
 * Text that begins with a digit and a colon is a message in notation; other
 * text is literal.
 */
static struct cp_bytes file_of(const char *text, enum packing how)
{
    struct cp_bytes plain = text[0] >= '0' && text[0] <= '9' && text[1] == ':'
                                ? proto_file(text)
                                : bytes_of(text, strlen(text));

    return how == PLAIN ? plain : packed(plain, how);
}

static const struct {
    const char *what, *text;
    enum packing how;
    const char *want;  /* the samples, or NULL */
    const char *error; /* the message, or its beginning and "..." */
} cases[] = {
    { "a message", PROTO, PLAIN, "5 f\n", "" },
    { "with gzip", PROTO, GZIP, "5 f\n", "" },
    { "with zstd", PROTO, ZSTD, "5 f\n", "" },
    { "unpacked once only", PROTO, GZIP_TWICE, NULL,
      "parsing profile: unrecognized profile format..." },
    { "a legacy profile", COUNT, PLAIN, "1 !|!\n", "" },
    { "a legacy profile with gzip", COUNT, GZIP, "1 !|!\n", "" },
    { "nothing", "", PLAIN, NULL, "parsing profile: empty input file" },
    { "gzip of nothing", "", GZIP, NULL, "parsing profile: empty input file" },
    { "zstd of nothing", "", ZSTD, NULL, "parsing profile: empty input file" },
    { "rubbish", "rubbish", PLAIN, NULL,
      "parsing profile: unrecognized profile format..." },
    { "gzip cut short", "\x1f\x8b\x08", PLAIN, NULL,
      "decompressing profile: gzip data..." },
    { "zstd cut short", "\x28\xb5\x2f\xfd\x04", PLAIN, NULL,
      "decompressing profile: zstd data..." },
    { "two messages", "6:'' 9:1 9:1", PLAIN, NULL,
      "parsing profile: concatenated profiles detected" },
    { "a message that is wrong", "6:'' 4:{3:1}", GZIP, NULL,
      "malformed profile: found location with reserved ID=0" },
    { "a legacy profile that is wrong", "goroutine profile: total 1\nx\n",
      PLAIN, NULL, "parsing profile: malformed profile format" },
    { "no types", "6:'' 2:{1:1}", PLAIN, NULL,
      "malformed profile: missing sample type information" },
    { "no types and no samples", "6:''", PLAIN, "", "" },
};

static bool is_message(const char *got, const char *want)
{
    const char *dots = strstr(want, "...");

    return dots ? strncmp(got, want, (size_t)(dots - want)) == 0
                : strcmp(got, want) == 0;
}

static void test_formats(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_bytes file = file_of(cases[i].text, cases[i].how);
        struct cp_error err = { 0 };
        struct cp_profile *p;

        check_case(cases[i].what);
        p = cp_load(&file, &err);
        CHECK_INT(p != NULL, cases[i].want != NULL);
        if (p)
            CHECK_STR(profile_text(p), cases[i].want);
        else
            CHECK_INT(err.status, CP_EFORMAT);
        if (!CHECK(is_message(err.msg, cases[i].error)))
            printf("    got  \"%s\"\n", err.msg);
        CHECK(!file.data && !file.mapped);
        cp_profile_free(p);
        file = file_of(cases[i].text, cases[i].how);
        p = cp_load(&file, NULL); /* without an error struct */
        CHECK_INT(p != NULL, cases[i].want != NULL);
        cp_profile_free(p);
    }
}

static void test_memory_runs_out(void)
{
    struct cp_profile *p = NULL;

    for (long n = 1; n < 100 && !p; n++) {
        struct cp_bytes file = file_of(PROTO, GZIP);
        struct cp_error err = { 0 };

        cp_alloc_fail_at(n);
        p = cp_load(&file, &err);
        cp_alloc_fail_at(0);
        CHECK_INT(err.status, p ? CP_OK : CP_ENOMEM);
        CHECK(p || strcmp(err.msg, "parsing profile: out of memory") == 0);
        CHECK(!file.data);
    }
    CHECK(p != NULL);
    cp_profile_free(p);
}

int main(void)
{
    RUN(test_formats);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
