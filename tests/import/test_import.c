/*
 * test_import.c - tests src/import/import.c and the readers on small texts and,
 * with failing allocations, on the files of tests/data/import.
 * tests/cli/convert tests the readers on complete files.
 */
#include "base/alloc.h"
#include "base/bytes.h"
#include "import/import.h"
#include "profile/model/profile.h"
#include "report/core/options.h"

#include <stdlib.h>

#include "check.h"
#include "report_fixture.h"

#define FRAMES "\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"}]}"

static const struct {
    const char *what, *text;
    const char
        *want; /* folded stacks of the default type, or the error message */
} cases[] = {
    { "folded", "a;b 1\na;c 2\na;b 3\n", "a;b 4\na;c 2\n" },
    { "a name with blanks and a number", "a b 7;c 1\n", "a b 7;c 1\n" },
    { "windows line ends", "a;b 1\r\nc 2\r\n", "a;b 1\nc 2\n" },
    { "a tab before the number", "a;b\t5\n", "a;b 5\n" },
    { "no line end", "a 5", "a 5\n" },
    { "empty frames", ";a;;b; 5\n", "a;b 5\n" },
    { "negative and fractions", "a -5\nb 1.5\nb 1.25\n", "a -5\nb 3\n" },
    { "not hexadecimal", "a 0x10\n", "unrecognized profile format" },
    { "only a number", "5\n", "unrecognized profile format" },
    { "nothing but blanks", " \n\n", "unrecognized profile format" },
    { "control characters", "a\001 5\n", "unrecognized profile format" },

    { "perf script", "p 1 2.5: 10 cycles: \n\t1 f+0x2 (/x)\n\t2 g (/y)\n",
      "g;f 10\n" },
    { "a frame behind the event", "  p  1 2.5:  10 cycles:  1 f (/x)\n",
      "f 10\n" },
    { "a name with blanks and numbers",
      "a 1 b 2/3 [001] 2.5: 10 cycles:u: \n\t1 f (/x)\n", "f 10\n" },
    { "no time", "p 1 cycles: \n\t1 f (/x)\n", "f 1\n" },
    { "operators and brackets",
      "p 1 2.5: 10 cycles: \n\t1 operator()(int) const (/x (deleted))\n",
      "operator()(int) const 10\n" },
    { "a file without a name", "p 1 2.5: 10 cycles: \n\t1 f\n", "f 10\n" },
    { "other records",
      "p 1 2.5: PERF_RECORD_MMAP2 1/1: x\np 1 2.5: 10 cycles: \n\t1 f (/x)\n",
      "f 10\n" },
    { "what a tracepoint tells",
      "p 1 2.5: 1 sched:sched_switch: a=1 b=(2)\n\t1 f (/x)\n", "f 1\n" },
    { "the first event counts",
      "p 1 2.5: 10 cycles: \n\t1 f (/x)\n\np 1 2.6: 3 faults: \n\t2 g (/x)\n",
      "f 10\n" },
    { "a heap profile of which the beginning is gone",
      "     1:  2097152 [     1:  2097152] @ 0xc63568 0xbc463b\n",
      "unrecognized profile format" },
    { "source lines", "p 1 2.5: 10 cycles: \n\t1 f (/x)\n  x.c:5\n", "f 10\n" },

    { "callgrind",
      "events: Ir\nfn=main\n1 5\ncfn=f\ncalls=1 1\n2 7\n\n"
      "fn=f\n1 7\n",
      "main 5\nmain;f 7\n" },
    { "recursion", "events: Ir\nfn=f\n1 5\ncfn=f\ncalls=1 1\n1 100\n",
      "f 5\n" },
    { "two that call each other",
      "events: Ir\nfn=m\n1 1\ncfn=a\ncalls=1 1\n1 30\nfn=a\n1 10\ncfn=b\n"
      "calls=1 1\n1 20\nfn=b\n1 20\ncfn=a\ncalls=1 1\n1 10\n",
      "m 1\nm;a 10\nm;a;b 20\n" },
    { "calls that nobody answers",
      "events: Ir\nfn=m\n1 1\ncfn=a\ncalls=1 1\n1 30\n", "m 1\n" },
    { "addresses",
      "positions: instr line\nevents: Ir\nfn=f\n0x10 5 3\n+2 +1 4\n", "f 7\n" },
    { "a header with colons", "version: 1\ncmd: a: b\nevents: Ir\nfn=f\n1 3\n",
      "f 3\n" },
    { "fewer costs than events", "events: A B\nfn=f\n1 3 4\n2 5\n", "f 8\n" },
    { "a bad event list", "events: A A\nfn=f\n1 3\n",
      "callgrind, line 1: an event that is there twice" },

    { "speedscope",
      "{" FRAMES ",\"profiles\":[{\"type\":\"sampled\",\"name\":\"\",\"unit\":"
      "\"none\",\"samples\":[[0,1],[0]],\"weights\":[2,3]}]}",
      "a 3\na;b 2\n" },
    { "events out of order",
      "{" FRAMES ",\"profiles\":[{\"type\":\"evented\",\"name\":\"\",\"unit\":"
      "\"none\",\"endValue\":9,\"events\":[{\"type\":\"O\",\"frame\":0,"
      "\"at\":0},{\"type\":\"O\",\"frame\":1,\"at\":1},{\"type\":\"C\","
      "\"frame\":0,\"at\":3},{\"type\":\"C\",\"frame\":1,\"at\":7}]}]}",
      "a 1\na;b 2\nb 4\n" },
    { "our own speedscope",
      "{\"exporter\":\"cpprof\"," FRAMES ",\"profiles\":[{\"type\":\"sampled\","
      "\"name\":\"n\",\"unit\":\"none\",\"samples\":[[0]],\"weights\":[2]},{"
      "\"type\":\"sampled\",\"name\":\"cpu\",\"unit\":\"nanoseconds\","
      "\"samples\":[[0]],\"weights\":[7]}]}",
      "a 7\n" },
    { "V8 without samples",
      "{\"nodes\":[{\"id\":5,\"callFrame\":{\"functionName\":\"(root)\"},"
      "\"children\":[9]},{\"id\":9,\"hitCount\":3,\"callFrame\":{"
      "\"functionName\":\"\"}}]}",
      "(anonymous) 3\n" },
    { "a list of events", "[{\"ph\":\"B\"}]",
      "this is a Chrome trace of events, not a profile; open it at "
      "ui.perfetto.dev or chrome://tracing" },
    { "half a file", "{\"nodes\":[1,2",
      "JSON: the file ends early at byte 13" },
    { "some JSON", "{\"a\":1}", "unrecognized profile format" },
};

static char *folded(struct cp_profile *p)
{
    struct cp_options o = cp_options_default();

    o.format = CP_FORMAT_FOLDED;
    return fixture_write(p, o, NULL);
}

static void test_cases(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cp_error err = { 0 };
        struct cp_profile *p =
            cp_import_read(cases[i].text, strlen(cases[i].text), &err);
        char *got = p ? folded(p) : NULL;

        check_case(cases[i].what);
        if (err.status == CP_EOTHER)
            CHECK_STR("unrecognized profile format", cases[i].want);
        else
            CHECK_STR(got ? got : err.msg, cases[i].want);
        free(got);
        cp_profile_free(p);
        p = cp_import_read(cases[i].text, strlen(cases[i].text), NULL);
        CHECK_INT(p != NULL, err.status == CP_OK);
        cp_profile_free(p);
    }
}

static const char *const files[] = {
    "stacks.folded",           "perf_script.txt",
    "callgrind.out",           "sampled.speedscope.json",
    "evented.speedscope.json", "nodes.cpuprofile",
    "head.cpuprofile",         "head.heapprofile",
    "processed.firefox.json",  "shared.firefox.json",
    "recorded.firefox.json",
};

/* Every allocation fails once, and the error is reported each time. */
static void test_memory_runs_out(void)
{
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        struct cp_bytes file = { 0 };
        struct cp_profile *p = NULL;
        char path[100];
        long n = 1;

        check_case(files[i]);
        snprintf(path, sizeof(path), "tests/data/import/%s", files[i]);
        if (!CHECK(cp_bytes_read_file(&file, path, 1 << 20, NULL) == CP_OK))
            continue;
        for (; n < 2000 && !p; n++) {
            struct cp_error err = { 0 };

            cp_alloc_fail_at(n);
            p = cp_import_read((const char *)file.data, file.len, &err);
            cp_alloc_fail_at(0);
            if (!CHECK_INT(err.status, p ? CP_OK : CP_ENOMEM))
                break;
        }
        CHECK(p && n > 5);
        cp_profile_free(p);
        cp_bytes_release(&file);
    }
}

int main(void)
{
    RUN(test_cases);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
