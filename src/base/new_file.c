/* new_file.c - creates files with random names. */
#include "base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define N_RANDOM 6
#define MAX_TRIES 100

/*
 * Returns bits for the name. They need not be unpredictable, because O_EXCL
 * prevents attacks.
 */
static uint64_t random_bits(const void *salt)
{
    struct timespec now = { 0 };
    uint64_t value;

    if (getrandom(&value, sizeof(value), GRND_NONBLOCK) ==
        (ssize_t)sizeof(value))
        return value;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    value = (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 32 ^ (uintptr_t)salt;
    return value * 0x9e3779b97f4a7c15u;
}

int cp_new_file(int folder, char *path, size_t suffix_len, mode_t mode)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    char *random = path + strlen(path) - suffix_len - N_RANDOM;
    int fd = -1;

    for (int i = 0; i < MAX_TRIES && fd < 0; i++) {
        uint64_t value = random_bits(&value) >> 20;

        for (int k = 0; k < N_RANDOM; k++, value >>= 5)
            random[k] = letters[value & 31];
        fd = openat(folder, path,
                    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (fd < 0 && errno != EEXIST)
            return -1;
    }
    return fd;
}

int cp_new_file_beside(const char *path, char *out, size_t cap, mode_t mode)
{
    int n = snprintf(out, cap, "%s" CP_NEW_FILE_RANDOM, path);

    if (n < 0 || (size_t)n >= cap) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return cp_new_file(AT_FDCWD, out, 0, mode);
}

int cp_new_file_scratch(void)
{
    const char *folder = getenv("TMPDIR");
    char path[4096], name[4096];
    int fd;

    if (!folder || !*folder)
        folder = "/tmp";
    if (snprintf(path, sizeof(path), "%s/cpprof", folder) >= (int)sizeof(path))
        return -1;
    fd = cp_new_file_beside(path, name, sizeof(name), 0600);
    if (fd >= 0)
        (void)unlink(name);
    return fd;
}
