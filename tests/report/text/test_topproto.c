/* test_topproto.c - tests src/report/text/topproto.c and proto.c. */
#include "report_cases.h"

static const struct report_case cases[] = {
    { "rows", "-topproto", PLAIN_STACKS,
      "PeriodType:  \n"
      "Period: 0\n"
      "Samples:\n"
      "cum/ns flat/ns\n"
      "         60         60: 1 \n"
      "         90         30: 2 \n"
      "         10         10: 3 \n"
      "        100          0: 4 \n"
      "Locations\n"
      "     1: 0x0 M=1 c :0:0 s=0()\n"
      "     2: 0x0 M=1 a :0:0 s=0()\n"
      "     3: 0x0 M=1 b :0:0 s=0()\n"
      "     4: 0x0 M=1 main :0:0 s=0()\n"
      "Mappings\n"
      "1: 0x0/0x0/0x0   \n",
      NULL },
    { "nodecount", "-topproto -nodecount=1", PLAIN_STACKS,
      "PeriodType:  \n"
      "Period: 0\n"
      "Samples:\n"
      "cum/ns flat/ns\n"
      "         60         60: 1 \n"
      "Locations\n"
      "     1: 0x0 M=1 c :0:0 s=0()\n"
      "Mappings\n"
      "1: 0x0/0x0/0x0   \n",
      NULL },
    { "lines",
      "-topproto -lines",
      { { "main@/m.c:3|f@/f.c:9", 5, false } },
      "PeriodType:  \n"
      "Period: 0\n"
      "Samples:\n"
      "cum/ns flat/ns\n"
      "          5          5: 1 \n"
      "          5          0: 2 \n"
      "Locations\n"
      "     1: 0x0 M=1 f /f.c:9:0 s=0()\n"
      "     2: 0x0 M=1 main /m.c:3:0 s=0()\n"
      "Mappings\n"
      "1: 0x0/0x0/0x0   \n",
      NULL },
    { "a unit",
      "-topproto -unit=us",
      { { "main", 1500, false }, { "main|f", 800, false } },
      "PeriodType:  \n"
      "Period: 0\n"
      "Samples:\n"
      "cum/us flat/us\n"
      "          2          1: 1 \n"
      "          0          0: 2 \n"
      "Locations\n"
      "     1: 0x0 M=1 main :0:0 s=0()\n"
      "     2: 0x0 M=1 f :0:0 s=0()\n"
      "Mappings\n"
      "1: 0x0/0x0/0x0   \n",
      NULL },
    { "proto", "-proto", TAGGED_STACKS, TAGGED_RAW, NULL },
    { "proto after a filter", "-proto -focus=^b$", PLAIN_STACKS,
      "PeriodType:  \n"
      "Period: 0\n"
      "Samples:\n"
      "samples/count cpu/nanoseconds\n"
      "          1         10: 3 4 \n"
      "Locations\n"
      "     1: 0x1000 M=1 a /src/a.c:7:0 s=0()\n"
      "     2: 0x1010 M=1 main /src/a.c:7:0 s=0()\n"
      "     3: 0x1020 M=1 b /src/a.c:7:0 s=0()\n"
      "     4: 0x1030 M=1 main /src/a.c:7:0 s=0()\n"
      "     5: 0x1040 M=1 c /src/a.c:7:0 s=0()\n"
      "     6: 0x1050 M=1 a /src/a.c:7:0 s=0()\n"
      "     7: 0x1060 M=1 main /src/a.c:7:0 s=0()\n"
      "Mappings\n"
      "1: 0x1000/0x100000/0x0 /bin/prog  [FN]\n",
      NULL },
    { "proto divided", "-proto -divide_by=4", PLAIN_STACKS,
      "PeriodType:  \n"
      "Period: 0\n"
      "Samples:\n"
      "samples/count cpu/nanoseconds\n"
      "          0          7: 1 2 \n"
      "          0          2: 3 4 \n"
      "          0         15: 5 6 7 \n"
      "Locations\n"
      "     1: 0x1000 M=1 a /src/a.c:7:0 s=0()\n"
      "     2: 0x1010 M=1 main /src/a.c:7:0 s=0()\n"
      "     3: 0x1020 M=1 b /src/a.c:7:0 s=0()\n"
      "     4: 0x1030 M=1 main /src/a.c:7:0 s=0()\n"
      "     5: 0x1040 M=1 c /src/a.c:7:0 s=0()\n"
      "     6: 0x1050 M=1 a /src/a.c:7:0 s=0()\n"
      "     7: 0x1060 M=1 main /src/a.c:7:0 s=0()\n"
      "Mappings\n"
      "1: 0x1000/0x100000/0x0 /bin/prog  [FN]\n",
      NULL },
    { "proto with tag frames", "-proto -tagroot=user", TAGGED_STACKS,
      "PeriodType:  \n"
      "Period: 0\n"
      "Samples:\n"
      "samples/count cpu/nanoseconds\n"
      "          1         40: 1 2 9 \n"
      "                user:[bob]\n"
      "                bytes:[64 bytes]\n"
      "          1         30: 3 4 10 \n"
      "                user:[amy]\n"
      "                bytes:[16 bytes]\n"
      "          1         20: 5 6 11 \n"
      "                bytes:[32 bytes]\n"
      "          1         10: 7 8 9 \n"
      "                user:[bob]\n"
      "                wait:[5 ms]\n"
      "Locations\n"
      "     1: 0x1000 M=1 get /src/a.c:7:0 s=0()\n"
      "     2: 0x1010 M=1 main /src/a.c:7:0 s=0()\n"
      "     3: 0x1020 M=1 get /src/a.c:7:0 s=0()\n"
      "     4: 0x1030 M=1 main /src/a.c:7:0 s=0()\n"
      "     5: 0x1040 M=1 put /src/a.c:7:0 s=0()\n"
      "     6: 0x1050 M=1 main /src/a.c:7:0 s=0()\n"
      "     7: 0x1060 M=1 put /src/a.c:7:0 s=0()\n"
      "     8: 0x1070 M=1 main /src/a.c:7:0 s=0()\n"
      "     9: 0x0 bob user:0:0 s=0()\n"
      "    10: 0x0 amy user:0:0 s=0()\n"
      "    11: 0x0  user:0:0 s=0\n"
      "Mappings\n"
      "1: 0x1000/0x100000/0x0 /bin/prog  [FN]\n",
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
