/* test_speedscope.c - tests src/report/export/speedscope.c. */
#include "report_cases.h"

#define HEAD                                                                   \
    "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","     \
    "\"exporter\":\"cpprof\",\"activeProfileIndex\":"

/* The profile of the type "samples": count 1 in each row. */
#define SAMPLES(n, stacks, weights)                                            \
    "\"profiles\":[\n{\"type\":\"sampled\",\"name\":\"samples\","              \
    "\"unit\":\"none\",\"startValue\":0,\"endValue\":" n                       \
    ",\"samples\":[" stacks "],\"weights\":[" weights "]},\n"

#define CPU(n, stacks, weights)                                                \
    "{\"type\":\"sampled\",\"name\":\"cpu\",\"unit\":\"nanoseconds\","         \
    "\"startValue\":0,\"endValue\":" n ",\"samples\":[" stacks                 \
    "],\"weights\":[" weights "]}]}\n"

static const struct report_case cases[] = {
    { "stacks from the root, inlined calls too",
      "-speedscope",
      { { .stack = "main|work", .value = 5 },
        { .stack = "main|outer~inner", .value = 3 } },
      HEAD "1,\"shared\":{\"frames\":["
           "{\"name\":\"work\",\"file\":\"/src/a.c\"},\n"
           "{\"name\":\"main\",\"file\":\"/src/a.c\"},\n"
           "{\"name\":\"inner\",\"file\":\"/src/a.c\"},\n"
           "{\"name\":\"outer\",\"file\":\"/src/a.c\"}]},\n" SAMPLES(
               "2", "[1,0],\n[1,3,2]", "1,\n1")
               CPU("8", "[1,0],\n[1,3,2]", "5,\n3"),
      NULL },
    { "names that need quoting",
      "-speedscope -functions",
      { { .stack = "a\"b\\c", .value = 1 } },
      HEAD "1,\"shared\":{\"frames\":[{\"name\":\"a\\\"b\\\\c\"}]},\n" SAMPLES(
          "1", "[0]", "1") CPU("1", "[0]", "1"),
      NULL },
    { "what is not above zero is left out",
      "-speedscope -functions",
      { { .stack = "a", .value = -5 }, { .stack = "a", .value = 0 } },
      HEAD "1,\"shared\":{\"frames\":[{\"name\":\"a\"}]},\n" SAMPLES(
          "2", "[0],\n[0]", "1,\n1") CPU("0", "", ""),
      NULL },
    { "the chosen value is shown first, the others are there",
      "-speedscope -functions -sample_index=samples",
      { { .stack = "a", .value = 7 } },
      HEAD "0,\"shared\":{\"frames\":[{\"name\":\"a\"}]},\n" SAMPLES(
          "1", "[0]", "1") CPU("7", "[0]", "7"),
      NULL },
    { "divided",
      "-speedscope -functions -divide_by=10",
      { { .stack = "a", .value = 50 }, { .stack = "a", .value = 4 } },
      HEAD "1,\"shared\":{\"frames\":[{\"name\":\"a\"}]},\n" SAMPLES(
          "0", "", "") CPU("5", "[0]", "5"),
      NULL },
    { "lines",
      "-speedscope -lines",
      { { .stack = "a@x.c:3", .value = 1 } },
      HEAD "1,\"shared\":{\"frames\":[{\"name\":\"a\",\"file\":\"x.c\","
           "\"line\":3}]},\n" SAMPLES("1", "[0]", "1") CPU("1", "[0]", "1"),
      NULL },
};

static void test_text(void)
{
    report_run_cases(cases, sizeof(cases) / sizeof(cases[0]));
}

int main(void)
{
    RUN(test_text);
    return check_failures != 0;
}
