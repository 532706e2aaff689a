/*
 * test_legacy.c - tests the readers of the legacy formats,
 * src/profile/legacy/.
 *
 * A profile is compared as text: the types, then one line per sample with its
 * values, its stack (addresses, or names for Java) and its labels.
 */
#include "base/alloc.h"
#include "base/index.h"
#include "profile/legacy/legacy.h"

#include <stdarg.h>
#include <stdlib.h>

#include "check.h"

static char out[8192];
static size_t out_len;

__attribute__((format(printf, 1, 2))) static void put(const char *fmt, ...)
{
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(out + out_len, sizeof(out) - out_len, fmt, args);
    va_end(args);
    if (n > 0 && (size_t)n < sizeof(out) - out_len)
        out_len += (size_t)n;
}

static void put_frame(const struct cp_profile *p, uint32_t location)
{
    const struct cp_location *l = &p->locations[location];

    if (l->n_lines == 0) {
        put(" %llx", (unsigned long long)l->address);
        return;
    }
    const struct cp_line *line = &p->lines[l->lines];
    const struct cp_function *f = &p->functions[line->function];

    put(" %s(%s:%lld)", cp_profile_cstr(p, f->name),
        cp_profile_cstr(p, f->filename), (long long)line->line);
}

static void put_labels(const struct cp_profile *p, uint32_t set)
{
    struct cp_label_set s = p->label_sets[set];

    for (uint32_t i = 0; i < s.n_labels; i++) {
        const struct cp_label *l = &p->labels[s.labels + i];

        put(" %s=", cp_profile_cstr(p, l->key));
        if (l->str != CP_NONE)
            put("%s", cp_profile_cstr(p, l->str));
        else
            put("%lld", (long long)l->num);
    }
}

static const char *render(const struct cp_profile *p)
{
    out_len = 0;
    for (uint32_t i = 0; i < p->n_types; i++)
        put("%s/%s ", cp_profile_cstr(p, p->types[i].type),
            cp_profile_cstr(p, p->types[i].unit));
    put("every %lld", (long long)p->period);
    if (p->duration_ns)
        put(" for %lld", (long long)p->duration_ns);
    put("\n");
    for (uint32_t i = 0; i < p->n_samples; i++) {
        for (uint32_t k = 0; k < p->n_types; k++)
            put("%lld ", (long long)p->values[i * p->n_types + k]);
        put(":");
        for (uint32_t k = 0; k < p->samples[i].n_locs; k++)
            put_frame(p, cp_profile_stack(p, i)[k]);
        put_labels(p, p->samples[i].label_set);
        put("\n");
    }
    return out;
}

#define HEAP "heap profile: 1: 10 [1: 10] @ heapprofile\n"
#define HEAP_TYPES "objects/count space/bytes every "
#define ALLOC_TYPES                                                            \
    "alloc_objects/count alloc_space/bytes "                                   \
    "inuse_objects/count inuse_space/bytes every "
#define THREAD "--- Thread 7f (name: main/25) stack: ---\n"
#define MAP "--- Memory map: ---\n0-900000: /a\n"
#define JAVA_HEAP "--- heapz 1 ---\nformat = java\nresolution = bytes\n"
#define JAVA_LOCKS "--- contentionz 1 ---\nformat = java\nresolution = us\n"
#define JAVA_HEAP_TYPES "inuse_objects/count inuse_space/bytes every 0\n"
#define LOCKS "--- contention:\n"
#define LOCK_TYPES "contentions/count delay/nanoseconds every "
#define JEMALLOC "heap_v2/524288\n  t*: 3: 30 [0: 0]\n"

static const struct {
    const char *what, *text;
    const char *want; /* the profile, or the error message */
} texts[] = {
    { "heap", HEAP "1: 10 [2: 20] @ 0x11 0x21\n" MAP,
      HEAP_TYPES "1\n1 10 : 10 20 bytes=10\n" },
    { "heap, allocations",
      "heap profile: 1: 10 [2: 20] @ heap_v2/1024\n"
      "1: 10 [2: 20] @ 0x11\n0: 0 [2: 10] @ 0x11\n",
      ALLOC_TYPES "1024\n205 2058 102 1029 : 10 bytes=10\n"
                  "410 2053 0 0 : 10 bytes=5\n" },
    { "heap, half the rate",
      "heap profile: 1: 10 [1: 10] @ heap/2048\n1: 10 [1: 10] @ 0x11\n",
      HEAP_TYPES "1024\n102 1029 : 10 bytes=10\n" },
    { "heap, totals compared as text",
      "heap profile: 1: 10 [01: 10] @ heapprofile\n", ALLOC_TYPES "1\n" },
    { "growth has no allocations",
      "heap profile: 1: 10 [2: 20] @ growthz\n1: 10 [2: 20] @ 0x11\n",
      HEAP_TYPES "1\n1 10 : 10 bytes=10\n" },
    { "heap, negative", HEAP "-1: -10 [2: 20] @ 0x11\n",
      HEAP_TYPES "1\n-1 -10 : 10 bytes=10\n" },
    { "heap, lowest", HEAP "-1: -9223372036854775808 [2: 20] @\n",
      HEAP_TYPES "1\n-1 -9223372036854775808 : "
                 "bytes=-9223372036854775808\n" },
    { "heap, scaled out of range",
      "heap profile: 1: 1 [1: 1] @ heap_v2/9223372036854775807\n"
      "1: 10 [1: 10] @ 0x11\n",
      HEAP_TYPES "9223372036854775807\n-9223372036854775808 "
                 "-9223372036854775808 : 10 bytes=10\n" },
    { "heap, anywhere in the line", HEAP "x1: 5: 10 [1: 1] @ 0x11 y 0x21\n",
      HEAP_TYPES "1\n5 10 : 10 bytes=2\n" },
    { "heap, comments", HEAP "\n # x\n1: 1 [1: 1] @ 0x11\n",
      HEAP_TYPES "1\n1 1 : 10 bytes=1\n" },
    { "heap, junk", HEAP "junk\n",
      "unexpected number of sample values: got 0, want 6" },
    { "heap, bytes of nothing", HEAP "0: 10 [1: 1] @ 0x1\n",
      "inuse count was 0 but inuse bytes was 10" },
    { "heap, large number", HEAP "99999999999999999999: 1 [1: 1] @\n",
      "malformed sample: 99999999999999999999: 1 [1: 1] @: strconv.ParseInt: "
      "parsing \"99999999999999999999\": value out of range" },
    { "heap, large address", HEAP "1: 1 [1: 1] @ 0x11111111111111111\n",
      "malformed sample: 1: 1 [1: 1] @ 0x11111111111111111: failed to parse as "
      "hex 64-bit number: 0x11111111111111111" },
    { "heap, unknown kind", "heap profile: 1: 1 [1: 1] @ heapx\n",
      "unrecognized profile format" },

    { "jemalloc, one line",
      JEMALLOC "@ 0x11 0x21\n  t*: 1: 524288 [0: 0]\n\n" MAP,
      HEAP_TYPES "524288\n1 829411 : 10 20 bytes=524288\n" },
    { "jemalloc, threads",
      JEMALLOC "  t0: 2: 20 [0: 0]\n  t7: 1: 10 [0: 0] my name\n@ 0x11\n"
               "  t*: 3: 6291456 [0: 0]\n  t0: 2: 4194304 [0: 0]\n"
               "  t7: 1: 2097152 [0: 0]\n",
      HEAP_TYPES "524288\n2 4272558 : 10 thread=t0 bytes=2097152\n"
                 "1 2136279 : 10 thread=t7 thread_name=my name "
                 "bytes=2097152\n" },
    { "jemalloc, threads that do not add up",
      JEMALLOC "@ 0x11\n  t*: 3: 6291456 [0: 0]\n  t0: 2: 4194304 [0: 0]\n",
      HEAP_TYPES "524288\n3 6408837 : 10 bytes=2097152\n" },
    { "jemalloc, threads only", JEMALLOC "@ 0x11\n  t0: 1: 2097152 [0: 0]\n",
      HEAP_TYPES "524288\n1 2136279 : 10 thread=t0 bytes=2097152\n" },
    { "jemalloc, allocations",
      "heap_v2/1024\n  t*: 1: 10 [2: 20]\n@ 0x11\n  t*: 0: 0 [2: 20]\n",
      ALLOC_TYPES "1024\n205 2058 0 0 : 10 bytes=10\n" },
    { "jemalloc, stack without numbers", JEMALLOC "@ 0x11\n@ 0x12\n",
      HEAP_TYPES "524288\n" },
    { "jemalloc, nothing", "heap_v2/5", HEAP_TYPES "5\n" },
    { "jemalloc, junk", JEMALLOC "@ 0x11\n  t*: 1\n",
      "malformed jemalloc heap dump: t*: 1" },

    { "count",
      "\n# x\ngoroutine profile: total 7\n3 @ 0x11 0x21\n#\t0x1 f\n"
      "\n4 @ 0x11\n" MAP,
      "goroutine/count every 1\n3 : 10 20\n4 : 10\n" },
    { "count, octal", "a:b/c profile: total 7\n010 @ 0x11\n",
      "a:b/c/count every 1\n8 : 10\n" },
    { "count, no stack", "x profile: total 7\n3 @\n",
      "malformed profile format" },
    { "count, blank at the end", "x profile: total 7\n3 @ 0x1 \n",
      "malformed profile format" },
    { "count, large address", "x profile: total 7\n3 @ 0x11111111111111111\n",
      "malformed profile format" },
    { "count, header not alone", "x y profile: total 7\n",
      "unrecognized profile format" },

    { "threads",
      "--- threadz 1 ---\n\n" THREAD
      "  PC: 0x10 0x21: f\n  creator: 0x31\n" THREAD
      "  [same as previous thread]\n" THREAD "0x41\n" MAP,
      "thread/count every 1\n2 : 10 20 30\n1 : 41\n" },
    { "threads, leaf twice", THREAD "0x10 0x10 0x21\n" MAP,
      "thread/count every 1\n1 : 10 20\n" },
    { "threads, closed by another line",
      THREAD "0x10\n---- no stack trace for x\n" THREAD "0x20\n",
      "thread/count every 1\n1 : 10\n" },
    { "threads, not closed", THREAD "0x10\n", "unrecognized profile format" },
    { "threads, closed by something else", THREAD "0x10\n--- x\n" MAP,
      "unrecognized profile format" },

    { "contention",
      LOCKS "cycles/second = 2000000000\nsampling period=10\n"
            "ms since reset=5\ndiscarded samples=x\n 100 2 @ 0x11\n" MAP,
      LOCK_TYPES "10 for 5000000\n20 500 : 10\n" },
    { "mutex without attributes", "--- mutex:\n100 2 @ 0x11\n",
      LOCK_TYPES "1\n2 100 : 10\n" },
    { "contention, no cycles", LOCKS "sampling period = 0x10\n100 2 @ 0x11\n",
      LOCK_TYPES "16\n32 100 : 10\n" },
    { "contention, out of range",
      LOCKS "cycles/second = 1\nsampling period=9223372036854775807\n2 2 @\n",
      LOCK_TYPES "9223372036854775807\n-2 -9223372036854775808 :\n" },
    { "contention, digits split", LOCKS "102 @ 0x11\n",
      LOCK_TYPES "1\n2 10 : 10\n" },
    { "contention, unknown attribute", LOCKS "x = 1\n",
      "unrecognized profile format" },
    { "contention, junk", LOCKS "1 2 @ 0x11\njunk\n",
      "unrecognized profile format" },

    { "Java heap",
      JAVA_HEAP "100 2 @ 0x1 0x2 0x3\n\n0x1 a.b (x.java:5)\n"
                " 0x2 c (/d/e.so)\n0x3 the generated stub/JIT\n",
      JAVA_HEAP_TYPES "20972 1048626 : a.b(x.java:5) c(e.so:0) STUB(:0) "
                      "bytes=50\n" },
    { "Java contention",
      JAVA_LOCKS "sampling period = 10\nms since reset = 5\n100 2 @ 0x1\n"
                 "0x1 a (b:-1)\n",
      "contentions/count delay/us every 10 for 5000000\n20 1000 : a(b:0)\n" },
    { "Java, last line for a number counts",
      JAVA_HEAP "1 1 @ 0x1 0x2\n0x1 a (b:1)\n0x1 c (d:2)\n0x2 c (e:3)",
      JAVA_HEAP_TYPES "524288 524288 : c(d:2) c(d:3) bytes=1\n" },
    { "Java, parentheses",
      JAVA_HEAP "1 1 @ 0x1 0x2\n0x1 a (b) (c:5)\n"
                "0x2 (x:1)\n",
      JAVA_HEAP_TYPES "524288 524288 : a (b)(c:5) (x:1)(:0) bytes=1\n" },
    { "Java, unnamed frames have no address", JAVA_HEAP "1 1 @ 0x7\n",
      JAVA_HEAP_TYPES "524288 524288 : 0 bytes=1\n" },
    { "Java, sample cut short", JAVA_HEAP "1 1 @ 0x1\n1 1 @ 0x2",
      JAVA_HEAP_TYPES "524288 524288 : 0 bytes=1\n" },
    { "Java, no objects", JAVA_HEAP "100 0 @ 0x1\n",
      "parsing sample 100 0 @ 0x1: second value must be non-zero" },
    { "Java, bad attribute", JAVA_LOCKS "sampling period = x\n",
      "failed to parse attribute sampling period = x: strconv.ParseInt: "
      "parsing \"x\": invalid syntax" },
    { "Java, other language", "--- heapz 1 ---\nformat = c\n",
      "unrecognized profile format" },

    { "empty", "", "unrecognized profile format" },
    { "something else", "hello\n", "unrecognized profile format" },
};

static void test_texts(void)
{
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct cp_error err = { 0 };
        struct cp_profile *p =
            cp_legacy_read(texts[i].text, strlen(texts[i].text), &err);

        check_case(texts[i].what);
        CHECK_STR(p ? render(p) : err.msg, texts[i].want);
        cp_profile_free(p);
    }
}

/* Writes words of 4 or 8 bytes in either byte order; returns their length. */
static size_t put_words(char *to, const uint64_t *words, size_t n, size_t bytes,
                        bool is_big_endian)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < bytes; k++)
            to[i * bytes + (is_big_endian ? bytes - 1 - k : k)] =
                (char)(words[i] >> (8 * k));
    return n * bytes;
}

#define CPU_TYPES "samples/count cpu/nanoseconds every 1000000\n"

static const struct {
    const char *what;
    uint64_t words[24];
    size_t n;
    const char *tail, *want;
} cpus[] = {
    { "cpu",
      { 0, 3, 0, 1000, 0, 5, 3, 0x10, 0x21, 0x31, 1, 2, 0x55, 0x22, 0, 1, 0 },
      17,
      "0-900000: /a\n",
      CPU_TYPES "5 5000000 : 10 20 30\n1 1000000 : 55 21\n" },
    { "cpu, signal frames",
      { 0, 3, 0, 1000, 0, 5, 4, 0x10, 0x21, 0x31, 0x41, 1, 3, 0x55, 0x21, 0x31,
        0, 1, 0 },
      19,
      "",
      CPU_TYPES "5 5000000 : 10 40\n1 1000000 : 55\n" },
    { "cpu, leaf twice",
      { 0, 3, 0, 1000, 0, 5, 3, 0x10, 0x10, 0x31, 1, 2, 0x55, 0x22, 0, 1, 0 },
      17,
      "",
      CPU_TYPES "5 5000000 : 10 30\n1 1000000 : 55 21\n" },
    { "cpu, no end",
      { 0, 3, 0, 1000, 0, 5, 1, 0x10 },
      8,
      "",
      CPU_TYPES "5 5000000 : 10\n" },
    { "cpu, no stack",
      { 0, 3, 0, 1000, 0, 5, 0 },
      7,
      "",
      CPU_TYPES "5 5000000 :\n" },
    { "cpu, too deep",
      { 0, 3, 0, 1000, 0, 5, 99, 0x10 },
      8,
      "",
      "unrecognized profile format" },
    { "cpu, no period",
      { 0, 3, 0, 0, 0, 5, 1, 0x10 },
      8,
      "",
      "unrecognized profile format" },
    { "cpu, bytes after the last record",
      { 0, 3, 0, 1000, 0, 5, 1, 0x10 },
      8,
      "xyz",
      "unrecognized profile format" },
    { "cpu, Java",
      { 0, 3, 1, 1000, 0, 5, 2, 1, 2, 0, 1, 0 },
      12,
      "0x1 a (b:5)\n",
      CPU_TYPES "5 5000000 : a(b:5) 0\n" },
};

static void test_cpus(void)
{
    for (size_t i = 0; i < 4 * sizeof(cpus) / sizeof(cpus[0]); i++) {
        size_t at = i / 4, len;
        struct cp_error err = { 0 };
        struct cp_profile *p;
        char bytes[512];

        check_case(cpus[at].what);
        len = put_words(bytes, cpus[at].words, cpus[at].n, i % 2 ? 4 : 8,
                        i % 4 > 1);
        (void)snprintf(bytes + len, sizeof(bytes) - len, "%s", cpus[at].tail);
        p = cp_legacy_read(bytes, len + strlen(cpus[at].tail), &err);
        CHECK_STR(p ? render(p) : err.msg, cpus[at].want);
        cp_profile_free(p);
    }
}

static const struct {
    const char *text, *drop, *keep;
} lists[] = {
    { HEAP, "operator new", "runtime\\." },
    { JAVA_HEAP, "operator new", "runtime\\." },
    { LOCKS, "~SpinLockHolder", "" },
    { "x profile: total 7\n", "prof_handler", "" },
};

static void test_drop_lists(void)
{
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        struct cp_profile *p =
            cp_legacy_read(lists[i].text, strlen(lists[i].text), NULL);

        if (!CHECK(p != NULL))
            continue;
        CHECK(strstr(cp_profile_cstr(p, p->drop_frames), lists[i].drop));
        CHECK(strstr(cp_profile_cstr(p, p->keep_frames), lists[i].keep));
        CHECK(lists[i].keep[0] || p->keep_frames == 0);
        cp_profile_free(p);
    }
}

/* Runs f on every text and on a binary file. */
static void for_each_input(void (*f)(const char *bytes, size_t len))
{
    char bytes[512];

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        check_case(texts[i].what);
        f(texts[i].text, strlen(texts[i].text));
    }
    for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
        check_case(cpus[i].what);
        f(bytes, put_words(bytes, cpus[i].words, cpus[i].n, 8, false));
    }
}

/* Reads each prefix, in a block of exactly that size. */
static void read_truncated(const char *bytes, size_t len)
{
    for (size_t n = 0; n <= len; n++) {
        char *copy = malloc(n ? n : 1);
        struct cp_error err = { 0 };
        struct cp_profile *p;

        memcpy(copy, bytes, n);
        p = cp_legacy_read(copy, n, &err);
        CHECK(p || err.msg[0]);
        cp_profile_free(p);
        free(copy);
    }
}

static void test_truncated(void)
{
    for_each_input(read_truncated);
}

/* Makes each allocation fail in turn. */
static void read_without_memory(const char *bytes, size_t len)
{
    struct cp_error want = { 0 }, err;
    struct cp_profile *p = cp_legacy_read(bytes, len, &want);
    bool is_readable = p != NULL;

    cp_profile_free(p);
    for (long n = 1; n < 1000; n++) {
        err = (struct cp_error){ 0 };
        cp_alloc_fail_at(n);
        p = cp_legacy_read(bytes, len, &err);
        cp_alloc_fail_at(0);
        cp_profile_free(p);
        if (p || err.status != CP_ENOMEM)
            break;
    }
    CHECK((p != NULL) == is_readable);
    CHECK(is_readable || strcmp(err.msg, want.msg) == 0);
}

static void test_every_allocation_may_fail(void)
{
    for_each_input(read_without_memory);
}

static void test_deep_stack_is_refused(void)
{
    static const char start[] = HEAP "1: 1 [1: 1] @";
    size_t frames = (size_t)CP_MAX_DEPTH + 1, len = sizeof(start) - 1;
    char *text = malloc(len + frames * 4);
    struct cp_error err = { 0 };

    memcpy(text, start, len);
    for (size_t i = 0; i < frames; i++, len += 4)
        memcpy(text + len, " 0x1", 4);
    CHECK(!cp_legacy_read(text, len, &err));
    CHECK_INT(err.status, CP_EFORMAT);
    free(text);
}

int main(void)
{
    RUN(test_texts);
    RUN(test_cpus);
    RUN(test_drop_lists);
    RUN(test_truncated);
    RUN(test_every_allocation_may_fail);
    RUN(test_deep_stack_is_refused);
    return check_failures != 0;
}
