/* test_callgrind.c - tests src/report/export/callgrind.c. */
#include "report_cases.h"

static const struct report_case cases[] = {
    { "one",
      "-callgrind",
      { { "main@/m.c:3", 5, false } },
      "positions: instr line\n"
      "events: cpu(ns)\n"
      "\n"
      "ob=(1) /bin/prog\n"
      "fl=(1) /m.c\n"
      "fn=(1) main\n"
      "0x1000 3 5\n",
      NULL },
    { "a call",
      "-callgrind",
      { { "main@/m.c:3|f@/f.c:9", 5, false }, { "main@/m.c:3", 2, false } },
      "positions: instr line\n"
      "events: cpu(ns)\n"
      "\n"
      "ob=(1) /bin/prog\n"
      "fl=(1) /f.c\n"
      "fn=(1) f\n"
      "0x1000 9 5\n"
      "\n"
      "ob=(1)\n"
      "fl=(2) /m.c\n"
      "fn=(2) main\n"
      "+32 3 2\n"
      "-16 3 0\n"
      "cfl=(1)\n"
      "cfn=(1)\n"
      "calls=0 -32 9\n"
      "* * 5\n",
      NULL },
    { "names once",
      "-callgrind",
      { { "main@/m.c:3|f@/m.c:9", 5, false },
        { "main@/m.c:4|f@/m.c:10", 2, false } },
      "positions: instr line\n"
      "events: cpu(ns)\n"
      "\n"
      "ob=(1) /bin/prog\n"
      "fl=(1) /m.c\n"
      "fn=(1) f\n"
      "0x1000 9 5\n"
      "+32 10 2\n"
      "\n"
      "ob=(1)\n"
      "fl=(1)\n"
      "fn=(2) main\n"
      "-16 3 0\n"
      "cfl=(1)\n"
      "cfn=(1)\n"
      "calls=0 -32 9\n"
      "* * 5\n"
      "+32 4 0\n"
      "cfl=(1)\n"
      "cfn=(1)\n"
      "calls=0 +16 10\n"
      "* * 2\n",
      NULL },
    { "no lines",
      "-callgrind",
      { { "main@/m.c:3|-", 5, false } },
      "positions: instr line\n"
      "events: cpu(ns)\n"
      "\n"
      "ob=(1) /bin/prog\n"
      "fl=\n"
      "fn=\n"
      "0x1000 0 5\n"
      "\n"
      "ob=(1)\n"
      "fl=(1) /m.c\n"
      "fn=(1) main\n"
      "+16 3 0\n"
      "cfl=\n"
      "cfn=\n"
      "calls=0 * 0\n"
      "* * 5\n",
      NULL },
    { "inlined",
      "-callgrind",
      { { "main@/m.c:3|f@/m.c:9~g@/g.c:2", 5, false } },
      "positions: instr line\n"
      "events: cpu(ns)\n"
      "\n"
      "ob=(1) /bin/prog\n"
      "fl=(1) /g.c\n"
      "fn=(1) g\n"
      "0x1000 2 5\n"
      "\n"
      "ob=(1)\n"
      "fl=(2) /m.c\n"
      "fn=(2) f\n"
      "* 9 0\n"
      "cfl=(1)\n"
      "cfn=(1)\n"
      "calls=0 * 2\n"
      "* * 5\n"
      "\n"
      "ob=(1)\n"
      "fl=(2)\n"
      "fn=(3) main\n"
      "+16 3 0\n"
      "cfl=(2)\n"
      "cfn=(2)\n"
      "calls=0 * 9\n"
      "* * 5\n",
      NULL },
    { "call tree",
      "-callgrind -call_tree",
      { { "m@/m.c:1|a@/a.c:2|x@/x.c:3", 5, false },
        { "m@/m.c:1|b@/b.c:2|x@/x.c:3", 3, false } },
      "positions: instr line\n"
      "events: cpu(ns)\n"
      "\n"
      "ob=(1) /bin/prog\n"
      "fl=(1) /x.c\n"
      "fn=(1) x\n"
      "0x1000 3 5\n"
      "+48 3 3\n"
      "\n"
      "ob=(1)\n"
      "fl=(2) /a.c\n"
      "fn=(2) a\n"
      "-32 2 0\n"
      "cfl=(1)\n"
      "cfn=(3) x [1/2]\n"
      "calls=0 -48 3\n"
      "* * 5\n"
      "\n"
      "ob=(1)\n"
      "fl=(3) /m.c\n"
      "fn=(4) m\n"
      "+16 1 0\n"
      "cfl=(2)\n"
      "cfn=(2)\n"
      "calls=0 * 2\n"
      "* * 5\n"
      "\n"
      "ob=(1)\n"
      "fl=(4) /b.c\n"
      "fn=(5) b\n"
      "+32 2 0\n"
      "cfl=(1)\n"
      "cfn=(6) x [2/2]\n"
      "calls=0 +16 3\n"
      "* * 3\n"
      "\n"
      "ob=(1)\n"
      "fl=(3)\n"
      "fn=(4)\n"
      "+16 1 0\n"
      "cfl=(4)\n"
      "cfn=(5)\n"
      "calls=0 * 2\n"
      "* * 3\n",
      NULL },
    { "values in the unit",
      "-callgrind",
      { { "main@/m.c:3", 5000000, false },
        { "main@/m.c:3|f@/f.c:1", 1500, false } },
      "positions: instr line\n"
      "events: cpu(us)\n"
      "\n"
      "ob=(1) /bin/prog\n"
      "fl=(1) /m.c\n"
      "fn=(1) main\n"
      "0x1000 3 5000\n"
      "\n"
      "ob=(1)\n"
      "fl=(2) /f.c\n"
      "fn=(2) f\n"
      "+16 1 1\n"
      "\n"
      "ob=(1)\n"
      "fl=(1)\n"
      "fn=(1)\n"
      "+16 3 0\n"
      "cfl=(2)\n"
      "cfn=(2)\n"
      "calls=0 * 1\n"
      "* * 1\n",
      NULL },
    { "nothing",
      "-callgrind",
      { { NULL, 0, false } },
      "positions: instr line\n"
      "events: cpu(minimum)\n",
      NULL },
};

static void test_reports(void)
{
    report_run_cases(cases, sizeof(cases) / sizeof(cases[0]));
}

int main(void)
{
    RUN(test_reports);
    return check_failures != 0;
}
