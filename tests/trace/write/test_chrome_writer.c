/*
 * test_chrome_writer.c - tests src/trace/write/chrome_writer.c: the short trace
 * as JSON, byte by byte.
 */
#include "check.h"
#include "trace_fixture.h"

#include "base/out.h"
#include "trace/step.h"

static void test_short_trace(void)
{
    /* clang-format off */
    static const char want[] =
        "{\"displayTimeUnit\":\"ns\",\n"
        "\"traceEvents\":[\n"
        "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"prog\"}},\n"
        "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"thread_name\",\"args\":{\"name\":\"one\"}},\n"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"name\":\"runnable\",\"cat\":\"runnable\",\"ts\":2.000,\"dur\":1.000,\"sf\":\"1.0\"},\n"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"name\":\"running\",\"cat\":\"running\",\"ts\":3.000,\"dur\":1.000},\n"
        "{\"ph\":\"b\",\"pid\":1,\"tid\":1,\"name\":\"re\\u000agion\",\"cat\":\"region\",\"id\":1,\"ts\":4.500},\n"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"name\":\"sync.mutex\",\"cat\":\"blocked\",\"ts\":4.000,\"dur\":1.000,\"sf\":\"3.0\"},\n"
        "{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"name\":\"wakes\",\"cat\":\"wake\",\"id\":1,\"ts\":5.000},\n"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"name\":\"runnable\",\"cat\":\"runnable\",\"ts\":5.000,\"dur\":1.000},\n"
        "{\"ph\":\"f\",\"pid\":1,\"tid\":2,\"name\":\"wakes\",\"cat\":\"wake\",\"id\":1,\"bp\":\"e\",\"ts\":6.000},\n"
        "{\"ph\":\"i\",\"pid\":1,\"tid\":2,\"name\":\"cpu sample\",\"s\":\"t\",\"ts\":6.500,\"sf\":\"2.0\"},\n"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"running\",\"cat\":\"running\",\"ts\":1.000,\"dur\":6.000},\n"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"read\",\"cat\":\"syscall\",\"ts\":7.000,\"dur\":1.000},\n"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"running\",\"cat\":\"running\",\"ts\":8.000,\"dur\":0.100},\n"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"runnable\",\"cat\":\"runnable\",\"ts\":8.100,\"dur\":0.100},\n"
        "{\"ph\":\"e\",\"pid\":1,\"tid\":1,\"name\":\"re\\u000agion\",\"cat\":\"region\",\"id\":1,\"ts\":8.300},\n"
        "{\"ph\":\"i\",\"pid\":1,\"tid\":4194304,\"name\":\"category\",\"s\":\"t\",\"ts\":9.000,\"args\":{\"message\":\"mess\\ufffd\"}},\n"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"name\":\"running\",\"cat\":\"running\",\"ts\":6.000,\"dur\":3.500},\n"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"running\",\"cat\":\"running\",\"ts\":8.200,\"dur\":1.700},\n"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":4194304,\"name\":\"running\",\"cat\":\"running\",\"ts\":1.000,\"dur\":8.900},\n"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"sleep\",\"cat\":\"blocked\",\"ts\":9.900,\"dur\":0.000}\n"
        "],\n"
        "\"stackFrames\":{\n"
        "\"1.0\":{\"name\":\"leaf\",\"category\":\"a.c\",\"parent\":\"1.1\"},\n"
        "\"1.1\":{\"name\":\"ro\\u0022ot\"},\n"
        "\"3.0\":{\"name\":\"leaf\",\"category\":\"a.c\",\"parent\":\"3.1\"},\n"
        "\"3.1\":{\"name\":\"ro\\u0022ot\"},\n"
        "\"2.0\":{\"name\":\"leaf\",\"category\":\"a.c\",\"parent\":\"2.1\"},\n"
        "\"2.1\":{\"name\":\"ro\\u0022ot\"}}\n"
        "}\n";
    /* clang-format on */
    struct cp_out out = { .fd = -1 };

    fixture_write(&cp_trace_chrome, &out);
    cp_out_char(&out, '\0');
    CHECK_STR(out.buf, want);
    cp_out_release(&out);
}

int main(void)
{
    RUN(test_short_trace);
    return check_failures != 0;
}
