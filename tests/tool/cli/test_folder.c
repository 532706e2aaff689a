/* test_folder.c - tests src/tool/cli/folder.c. */
#include "base/arena.h"
#include "tool/cli/folder.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

/* Creates an empty file, or a directory if the name ends with a slash. */
static void make(const char *folder, const char *name)
{
    char path[256];
    FILE *f;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (name[strlen(name) - 1] == '/') {
        CHECK(mkdir(path, 0777) == 0);
        return;
    }
    f = fopen(path, "w");
    CHECK(f != NULL);
    if (f)
        (void)fclose(f);
}

static void drop(const char *folder, const char *const *names, size_t n)
{
    char path[256];

    while (n-- > 0) {
        (void)snprintf(path, sizeof(path), "%s/%s", folder, names[n]);
        CHECK(remove(path) == 0);
    }
    CHECK(rmdir(folder) == 0);
}

static void test_files(void)
{
    static const char *const names[] = { "b",       "below/", "below/c",
                                         ".hidden", "a",      "Z" };
    char folder[] = "/tmp/test_folder.XXXXXX", want[256];
    struct cp_arena arena = { 0 };
    struct cp_error err = { 0 };
    const char **files;
    size_t n = 0;

    CHECK(mkdtemp(folder) != NULL);
    CHECK(cp_folder_exists(folder));
    CHECK(cp_folder_files(folder, &n, &arena, &err) == NULL);
    CHECK_STR(err.msg, "no files in this directory");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        make(folder, names[i]);
    files = cp_folder_files(folder, &n, &arena, NULL);
    CHECK_INT(n, 3);
    for (size_t i = 0; files && i < 3; i++) {
        (void)snprintf(want, sizeof(want), "%s/%s", folder,
                       i == 0   ? "Z"
                       : i == 1 ? "a"
                                : "b");
        CHECK_STR(files[i], want);
    }
    cp_arena_release(&arena);
    drop(folder, names, sizeof(names) / sizeof(names[0]));
}

static void test_none(void)
{
    struct cp_arena arena = { 0 };
    struct cp_error err = { 0 };
    size_t n = 0;

    CHECK(!cp_folder_exists("/nosuch"));
    CHECK(!cp_folder_exists("/dev/null"));
    CHECK(cp_folder_files("/nosuch", &n, &arena, &err) == NULL);
    CHECK_STR(err.msg, "No such file or directory");
    cp_arena_release(&arena);
}

int main(void)
{
    RUN(test_files);
    RUN(test_none);
    return check_failures != 0;
}
