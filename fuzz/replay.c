/*
 * replay.c - runs a fuzz target over files instead of fuzzing.
 *
 * `make test` links it with each fuzz target and passes the target's corpus
 * folder, so that earlier findings are tested. Needs no libFuzzer.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *path)
{
    fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
    exit(1);
}

/* The input is a heap block of its exact size, so that ASan sees its end. */
static void replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat st;

    if (!file || fstat(fileno(file), &st) != 0)
        fail(path);

    size_t size = (size_t)st.st_size;
    uint8_t *data = malloc(size ? size : 1);

    if (!data || fread(data, 1, size, file) != size)
        fail(path);
    (void)fclose(file);
    fprintf(stderr, "%s\n",
            path); /* the last printed file is the one that crashed */
    (void)LLVMFuzzerTestOneInput(data, size);
    free(data);
}

static int replay_dir(const char *dir)
{
    struct dirent **names;
    int n = scandir(dir, &names, NULL, alphasort);
    int n_files = 0;

    if (n < 0)
        fail(dir);
    for (int i = 0; i < n; i++) {
        char path[4096];
        int len = snprintf(path, sizeof path, "%s/%s", dir, names[i]->d_name);

        if (names[i]->d_name[0] != '.' && len < (int)sizeof path) {
            replay_file(path);
            n_files++;
        }
        free(names[i]);
    }
    free(names);
    return n_files;
}

int main(int argc, char **argv)
{
    int n_files = 0;

    for (int i = 1; i < argc; i++)
        n_files += replay_dir(argv[i]);
    (void)LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    printf("%d passed, 0 failed\n", n_files + 1);
    return 0;
}
