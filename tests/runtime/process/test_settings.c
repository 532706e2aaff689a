/* test_settings - valid and invalid values of the environment variables. */
#include "runtime/process/settings.h"

#include "check.h"

static char complaints[1024];

static void complain(const char *line)
{
    (void)strncat(complaints, line,
                  sizeof(complaints) - strlen(complaints) - 2);
    (void)strcat(complaints, "\n");
}

static struct cp_settings read_pair(const char *listen, const char *cpprof)
{
    struct cp_settings s;

    complaints[0] = '\0';
    cp_settings_init(&s);
    cp_settings_read(&s, listen, cpprof, complain);
    return s;
}

static void test_good(void)
{
    struct cp_settings s = read_pair(
        "localhost:6060", "cpu_hz=250,max_memory:64MB,signal:40,quiet:1,,");

    CHECK_STR(s.listen, "localhost:6060");
    CHECK_INT(s.cpu_hz, 250);
    CHECK_INT(s.max_memory, 64 << 20);
    CHECK_INT(s.signal, 40);
    CHECK(s.is_quiet);
    CHECK_STR(complaints, "");
    s = read_pair(NULL,
                  "heap_interval:0,heap_mmap:1,dump_interval:1g,dump_keep:3,"
                  "dump_prefix:/tmp/x.{pid},dump_at_exit:1");
    CHECK_INT(s.heap_interval, 0);
    CHECK(s.heap_mmap);
    CHECK_INT(s.dump_interval, 1 << 30);
    CHECK_INT(s.dump_keep, 3);
    CHECK_STR(s.dump_prefix, "/tmp/x.{pid}");
    CHECK(s.dump_at_exit);
    CHECK_STR(complaints, "");
    s = read_pair(NULL, NULL);
    CHECK_INT(s.heap_interval, 512 << 10);
    CHECK_STR(s.listen, "");
    CHECK_INT(s.cpu_hz, 100);
    s = read_pair(NULL, "max_memory:5000000");
    CHECK_INT(s.max_memory, 5000000);
    s = read_pair(NULL, "max_memory:1g");
    CHECK_INT(s.max_memory, 1 << 30);
}

static void test_run(void)
{
    struct cp_settings s =
        read_pair(NULL, "app_id:my shop,follow:1,listen_fd:100,"
                        "cpu_file:/tmp/a:b=c.pb.gz,cpu_seconds:2.25,"
                        "heap_file:h.pb.gz");

    CHECK_STR(s.app_id, "my shop");
    CHECK_INT(s.follow, CP_FOLLOW_ALL);
    CHECK_INT(s.listen_fd, 100);
    CHECK_STR(s.cpu_file, "/tmp/a:b=c.pb.gz");
    CHECK_INT(s.cpu_seconds * 1000, 2250);
    CHECK_STR(s.heap_file, "h.pb.gz");
    CHECK_STR(complaints, "");
    s = read_pair(NULL, "follow:0");
    CHECK_INT(s.follow, CP_FOLLOW_NONE);
    s = read_pair(NULL, NULL);
    CHECK_INT(s.follow, CP_FOLLOW_WAITERS);
    CHECK_INT(s.cpu_seconds, 0);
}

static void test_bad(void)
{
    static const struct {
        const char *cpprof, *complaint;
    } rows[] = {
        { "colour:red", "CPPROF: ignored colour:red: unknown key\n" },
        { "cpu_hz", "CPPROF: ignored cpu_hz: not KEY:VALUE\n" },
        { "cpu_hz:", "CPPROF: ignored cpu_hz:: invalid value\n" },
        { "cpu_hz:0", "CPPROF: ignored cpu_hz:0: invalid value\n" },
        { "cpu_hz:ten", "CPPROF: ignored cpu_hz:ten: invalid value\n" },
        { "cpu_hz:10x", "CPPROF: ignored cpu_hz:10x: invalid value\n" },
        { "cpu_hz:99999999999999999999",
          "CPPROF: ignored cpu_hz:99999999999999999999: invalid value\n" },
        { "max_memory:1k", "CPPROF: ignored max_memory:1k: invalid value\n" },
        { "quiet:yes", "CPPROF: ignored quiet:yes: invalid value\n" },
        { "follow:2", "CPPROF: ignored follow:2: invalid value\n" },
        { "listen_fd:2", "CPPROF: ignored listen_fd:2: invalid value\n" },
        { "cpu_seconds:1s", "CPPROF: ignored cpu_seconds:1s: invalid value\n" },
        { "cpu_seconds:", "CPPROF: ignored cpu_seconds:: invalid value\n" },
        { "app_id:", "CPPROF: ignored app_id:: invalid value\n" },
        { "a:1,cpu_hz:50,b:2", "CPPROF: ignored a:1: unknown key\n"
                               "CPPROF: ignored b:2: unknown key\n" },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        check_case(rows[i].cpprof);
        (void)read_pair(NULL, rows[i].cpprof);
        CHECK_STR(complaints, rows[i].complaint);
    }
}

static void test_long(void)
{
    char text[2000];
    struct cp_settings s;

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    s = read_pair(text, text);
    CHECK_STR(s.listen, "");
    CHECK(strncmp(complaints, "PPROFLISTEN: ignored: longer", 28) == 0);
    CHECK(strstr(complaints, "ignored xxx") != NULL);
}

int main(void)
{
    RUN(test_good);
    RUN(test_run);
    RUN(test_bad);
    RUN(test_long);
    return check_failures != 0;
}
