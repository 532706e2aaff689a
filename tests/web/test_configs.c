/*
 * test_configs.c - tests src/web/configs.c: writes, reads and changes
 * settings.json.
 */
#include "base/bytes.h"
#include "base/out.h"
#include "report/core/options.h"
#include "web/configs.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static char folder[] = "/tmp/configs.XXXXXX", path[256];

/* Returns the content of the file, or "" if it does not exist. */
static const char *content(void)
{
    static char text[1 << 16];
    struct cp_bytes bytes = { 0 };

    text[0] = '\0';
    if (cp_bytes_read_file(&bytes, path, sizeof(text) - 1, NULL) == CP_OK) {
        memcpy(text, bytes.data, bytes.len);
        text[bytes.len] = '\0';
    }
    cp_bytes_release(&bytes);
    return text;
}

static void fill(const char *text)
{
    FILE *f = fopen(path, "w");

    if (CHECK(f != NULL)) {
        (void)fputs(text, f);
        (void)fclose(f);
    }
}

static void test_path(void)
{
    char out[64];

    (void)setenv("HOME", "/home/x", 1);
    (void)setenv("XDG_CONFIG_HOME", "/etc/xdg", 1);
    CHECK(cp_configs_path(out, sizeof(out)));
    CHECK_STR(out, "/etc/xdg/pprof/settings.json");
    (void)setenv("XDG_CONFIG_HOME", "", 1);
    CHECK(cp_configs_path(out, sizeof(out)));
    CHECK_STR(out, "/home/x/.config/pprof/settings.json");
    CHECK(!cp_configs_path(out, 10));
    (void)unsetenv("HOME");
    CHECK(!cp_configs_path(out, sizeof(out)));
}

static void test_life(void)
{
    struct cp_options o = cp_options_default();
    struct cp_error err = { 0 };

    o.focus = "a\"b\\";
    o.node_count = 0;
    o.cum_sort = true;
    CHECK_INT(cp_configs_save(path, "one", &o, &err), CP_OK);
    CHECK_STR(content(), "{\n  \"configs\": [\n    {\n"
                         "      \"name\": \"one\",\n"
                         "      \"unit\": \"minimum\",\n"
                         "      \"sort\": \"cum\",\n"
                         "      \"nodefraction\": 0.005,\n"
                         "      \"edgefraction\": 0.001,\n"
                         "      \"trim\": true,\n"
                         "      \"focus\": \"a\\\"b\\\\\"\n"
                         "    }\n  ]\n}");
    CHECK_INT(cp_configs_save(path, "two", &o, &err), CP_OK);
    o.focus = "again";
    CHECK_INT(cp_configs_save(path, "one", &o, &err), CP_OK);
    CHECK(strstr(content(), "again") < strstr(content(), "two"));
    CHECK_INT(cp_configs_rename(path, "one", "two", &err), CP_EUSAGE);
    CHECK_STR(err.msg, "config two exists already");
    CHECK_INT(cp_configs_rename(path, "one", "three", &err), CP_OK);
    CHECK(strstr(content(), "three") && !strstr(content(), "\"one\""));
    CHECK_INT(cp_configs_delete(path, "one", &err), CP_EUSAGE);
    CHECK_STR(err.msg, "config one not found");
    CHECK_INT(cp_configs_delete(path, "three", &err), CP_OK);
    CHECK_INT(cp_configs_delete(path, "two", &err), CP_OK);
    CHECK_STR(content(), "{\n  \"configs\": []\n}");
    CHECK_INT(cp_configs_save(path, "", &o, &err), CP_EUSAGE);
}

/* A file that cannot be parsed is not overwritten. */
static void test_broken(void)
{
    static const char *const rows[] = {
        "{",
        "[]",
        "nonsense",
        "{\"configs\":[1]}",
        "{\"configs\":[{}]}",
        "{\"configs\":[{\"name\":7}]}",
        "{\"configs\":[{\"name\":\"x\"}",
    };
    struct cp_options o = cp_options_default();

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct cp_out out = { .fd = -1 };
        struct cp_error err = { 0 };

        check_case(rows[i]);
        fill(rows[i]);
        CHECK(cp_configs_save(path, "x", &o, &err) != CP_OK);
        CHECK(strncmp(err.msg, "settings.json: ", 15) == 0);
        CHECK(cp_configs_list(path, &out, &err) != CP_OK && out.len == 0);
        CHECK_STR(content(), rows[i]);
        cp_out_release(&out);
    }
}

static void test_link(void)
{
    struct cp_options o = cp_options_default();
    char real[300];
    struct stat found;

    (void)snprintf(real, sizeof(real), "%s/elsewhere.json", folder);
    (void)unlink(path);
    fill("");
    CHECK(rename(path, real) == 0 && symlink(real, path) == 0);
    CHECK_INT(cp_configs_save(path, "x", &o, NULL), CP_OK);
    CHECK(lstat(path, &found) == 0 && S_ISLNK(found.st_mode));
    CHECK(strstr(content(), "\"x\"") != NULL);
    (void)unlink(real);
    (void)unlink(path);
}

int main(void)
{
    char sub[300];

    if (!mkdtemp(folder))
        return 1;
    (void)snprintf(path, sizeof(path), "%s/new/settings.json", folder);
    RUN(test_path);
    RUN(test_life);
    RUN(test_broken);
    RUN(test_link);
    (void)snprintf(sub, sizeof(sub), "%s/new", folder);
    CHECK(rmdir(sub) == 0 && rmdir(folder) == 0); /* no files are left */
    return check_failures != 0;
}
