/*
 * syscalls_target_file.c - file locks, and long operations in the kernel that a
 * pending signal can interrupt: large reads, copies, fallocate, fsync.
 */
#include "syscalls_target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define BIG ((size_t)1 << 20)     /* size of files in bytes */
#define MEMORY ((size_t)16 << 20) /* size of filled memory in bytes */

/* Opens the same file again, for another open file description. */
static int open_again(int fd)
{
    char path[40];
    int again;

    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    again = open(path, O_RDWR | O_CLOEXEC);
    must(again < 0 ? -1 : 0, "open of /proc/self/fd");
    return again;
}

static void unlock_late(struct slot *s)
{
    short_delay(s);
    (void)flock(s->fd[0], LOCK_UN);
}

static void run_flock(struct slot *s)
{
    s->fd[0] = make_file(s);
    s->fd[1] = open_again(s->fd[0]);
    must(flock(s->fd[0], LOCK_EX), "flock");
    peer_begin(s, unlock_late);
    (void)expect(s, "flock", flock(s->fd[1], LOCK_EX), 0);
    (void)flock(s->fd[1], LOCK_UN);
    peer_end(s);
}

static void unlock_ofd_late(struct slot *s)
{
    struct flock lock = { .l_type = F_UNLCK };

    short_delay(s);
    (void)fcntl(s->fd[0], F_OFD_SETLK, &lock);
}

static void run_ofd(struct slot *s)
{
    struct flock lock = { .l_type = F_WRLCK };

    s->fd[0] = make_file(s);
    s->fd[1] = open_again(s->fd[0]);
    must(fcntl(s->fd[0], F_OFD_SETLK, &lock), "F_OFD_SETLK");
    peer_begin(s, unlock_ofd_late);
    (void)expect(s, "F_OFD_SETLKW", fcntl(s->fd[1], F_OFD_SETLKW, &lock), 0);
    peer_end(s);
}

/* A child holds the file's lock and exits after a moment. */
static pid_t lock_in_child(int fd)
{
    struct timespec t = { 0, 700000 };
    struct flock lock = { .l_type = F_WRLCK };
    int ends[2];
    char byte;
    pid_t child;

    must(pipe2(ends, O_CLOEXEC), "pipe2");
    child = fork();
    if (child == 0) {
        (void)fcntl(fd, F_SETLK, &lock);
        (void)write_all(ends[1], "x", 1);
        (void)syscall(SYS_nanosleep, &t, NULL);
        _exit(0);
    }
    must(child < 0 ? -1 : 0, "fork");
    (void)read_all(ends[0], &byte, 1);
    (void)close(ends[0]);
    (void)close(ends[1]);
    return child;
}

static void await_child(pid_t child)
{
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}

static void run_setlkw(struct slot *s)
{
    struct flock lock = { .l_type = F_WRLCK };
    pid_t child;

    s->fd[0] = make_file(s);
    child = lock_in_child(s->fd[0]);
    (void)expect(s, "F_SETLKW", fcntl(s->fd[0], F_SETLKW, &lock), 0);
    await_child(child);
}

static void run_lockf(struct slot *s)
{
    pid_t child;

    s->fd[0] = make_file(s);
    child = lock_in_child(s->fd[0]);
    (void)expect(s, "lockf", lockf(s->fd[0], F_LOCK, 0), 0);
    await_child(child);
}

static void run_getrandom(struct slot *s)
{
    (void)expect(s, "getrandom", getrandom(s->room, PATTERN_BYTES, 0),
                 PATTERN_BYTES);
}

/* Devices whose driver checks for signals between pages. */
static void check_device(struct slot *s, const char *path)
{
    void *room = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    s->fd[0] = open(path, O_RDONLY | O_CLOEXEC);
    if (s->fd[0] < 0 || room == MAP_FAILED)
        fatal(path);
    (void)expect(s, path, read(s->fd[0], room, MEMORY), MEMORY);
    (void)munmap(room, MEMORY);
}

static void run_zero(struct slot *s)
{
    check_device(s, "/dev/zero");
}

static void run_urandom(struct slot *s)
{
    s->fd[0] = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    (void)expect(s, "/dev/urandom", read(s->fd[0], s->room, PATTERN_BYTES),
                 PATTERN_BYTES);
}

static void run_fallocate(struct slot *s)
{
    s->fd[0] = memfd_create("file", MFD_CLOEXEC);
    (void)expect(s, "fallocate", fallocate(s->fd[0], 0, 0, MEMORY), 0);
}

static void make_big(struct slot *s)
{
    s->fd[0] = make_file(s);
    s->fd[1] = make_file(s);
    must(ftruncate(s->fd[1], 0), "ftruncate");
    for (size_t n = s->total; n < BIG; n += s->total)
        if (pwrite(s->fd[0], s->data, s->total, (off_t)n) != (ssize_t)s->total)
            fatal("pwrite");
}

static void check_copy(struct slot *s, const char *what, ssize_t n, size_t all)
{
    (void)expect(s, what, n, (long)all);
    for (size_t at = 0; n == (ssize_t)all && at < all; at += s->total) {
        size_t some = all - at < s->total ? all - at : s->total;

        if (pread(s->fd[1], s->room, some, (off_t)at) != (ssize_t)some)
            differ(s, "%s: the copy is shorter", what);
        expect_bytes(s, what, s->room, 0, some);
    }
}

static void run_copy_file_range(struct slot *s)
{
    make_big(s);
    check_copy(s, "copy_file_range",
               copy_file_range(s->fd[0], NULL, s->fd[1], NULL, BIG, 0), BIG);
}

static void run_sendfile(struct slot *s)
{
    make_big(s);
    check_copy(s, "sendfile", sendfile(s->fd[1], s->fd[0], NULL, BIG), BIG);
}

static void run_pread(struct slot *s)
{
    struct iovec parts[2];

    make_big(s);
    (void)expect(s, "pread", pread(s->fd[0], s->room, BIG, 0), BIG);
    parts[0] = (struct iovec){ s->room, 1000 };
    parts[1] = (struct iovec){ s->room + 1000, BIG - 1000 };
    (void)expect(s, "preadv2", preadv2(s->fd[0], parts, 2, 0, 0), BIG);
    (void)expect(s, "pwritev2", pwritev2(s->fd[1], parts, 2, 0, 0), BIG);
    (void)expect(s, "pwrite", pwrite(s->fd[1], s->room, BIG, 0), BIG);
}

static void run_fsync(struct slot *s)
{
    s->fd[0] = make_file(s);
    (void)expect(
        s, "sync_file_range",
        sync_file_range(s->fd[0], 0, (off64_t)s->total, SYNC_FILE_RANGE_WRITE),
        0);
    (void)expect(s, "fdatasync", fdatasync(s->fd[0]), 0);
    (void)write_all(s->fd[0], s->data, s->total);
    (void)expect(s, "fsync", fsync(s->fd[0]), 0);
}

static void run_msync(struct slot *s)
{
    void *map;

    s->fd[0] = make_file(s);
    map = mmap(NULL, s->total, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd[0], 0);
    if (map == MAP_FAILED)
        fatal("mmap");
    memset(map, 7, s->total);
    (void)expect(s, "msync", msync(map, s->total, MS_SYNC), 0);
    (void)munmap(map, s->total);
}

const struct call file_calls[] = {
    { "flock", run_flock, NULL, NULL, 0 },
    { "fcntl-ofd-setlkw", run_ofd, NULL, NULL, 0 },
    { "fcntl-setlkw", run_setlkw, NULL, NULL, 0 },
    { "lockf", run_lockf, NULL, NULL, 0 },
    { "getrandom-1mb", run_getrandom, NULL, NULL, 0 },
    { "read-zero-16mb", run_zero, NULL, NULL, 0 },
    { "read-urandom-1mb", run_urandom, NULL, NULL, 0 },
    { "fallocate-16mb", run_fallocate, NULL, NULL, 0 },
    { "copy_file_range", run_copy_file_range, NULL, NULL, 0 },
    { "sendfile-file", run_sendfile, NULL, NULL, 0 },
    { "pread-pwrite", run_pread, NULL, NULL, 0 },
    { "fsync", run_fsync, NULL, NULL, 0 },
    { "msync", run_msync, NULL, NULL, 0 },
    { 0 },
};
