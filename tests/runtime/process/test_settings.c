/* test_settings - the environment variables, right and wrong. */
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
        { "colour:red", "CPPROF: no such setting: colour\n" },
        { "cpu_hz", "CPPROF: not KEY:VALUE: cpu_hz\n" },
        { "cpu_hz:", "CPPROF: bad value of cpu_hz: \n" },
        { "cpu_hz:0", "CPPROF: bad value of cpu_hz: 0\n" },
        { "cpu_hz:ten", "CPPROF: bad value of cpu_hz: ten\n" },
        { "cpu_hz:10x", "CPPROF: bad value of cpu_hz: 10x\n" },
        { "cpu_hz:99999999999999999999",
          "CPPROF: bad value of cpu_hz: 99999999999999999999\n" },
        { "max_memory:1k", "CPPROF: bad value of max_memory: 1k\n" },
        { "quiet:yes", "CPPROF: bad value of quiet: yes\n" },
        { "follow:2", "CPPROF: bad value of follow: 2\n" },
        { "listen_fd:2", "CPPROF: bad value of listen_fd: 2\n" },
        { "cpu_seconds:1s", "CPPROF: bad value of cpu_seconds: 1s\n" },
        { "cpu_seconds:", "CPPROF: bad value of cpu_seconds: \n" },
        { "app_id:", "CPPROF: bad value of app_id: \n" },
        { "a:1,cpu_hz:50,b:2",
          "CPPROF: no such setting: a\nCPPROF: no such setting: b\n" },
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
    CHECK(strncmp(complaints, "PPROFLISTEN: too long\n", 22) == 0);
    CHECK(strstr(complaints, "not KEY:VALUE: xxx") != NULL);
}

int main(void)
{
    RUN(test_good);
    RUN(test_run);
    RUN(test_bad);
    RUN(test_long);
    return check_failures != 0;
}
