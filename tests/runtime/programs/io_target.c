/*
 * io_target.c - blocking calls, for tests/cli/locks.
 *
 * `io_target FOLDER` waits once in each call, in a separate function, with
 * every wait recorded, and writes FOLDER/calls-block.pb.gz. For each it prints
 * "FUNCTION:KIND:SHORTEST:LONGEST": the label "wait", and nanoseconds. Another
 * thread ends the wait some time after the kernel shows that this one sleeps.
 * That time is the shortest, the time measured here the longest. A read or
 * write of a file may not sleep: its shortest is the threshold of a wait.
 */
#undef _FILE_OFFSET_BITS /* makes pread and pread64 two symbols */
#include <cpprof.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HOLD_NS 30000000
#define MIN_NS 20000
#define BIG ((size_t)8 << 20)

#define NEED(x)                                                                \
    do {                                                                       \
        if (!(x)) {                                                            \
            (void)fprintf(stderr, "line %d: %s\n", __LINE__, #x);              \
            exit(3);                                                           \
        }                                                                      \
    } while (0)
#define APART __attribute__((noinline)) static

static char path[4096], *big;
static int file, other, ends[2], sockets[2], set;
static pid_t child, waiter;
static long held_ns;

static long now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void await_sleep(void)
{
    char name[64], text[512];
    const char *end = NULL;

    (void)snprintf(name, sizeof(name), "/proc/self/task/%d/stat", (int)waiter);
    while (!end || end[2] != 'S') {
        FILE *stat = fopen(name, "r");

        NEED(stat && fgets(text, sizeof(text), stat));
        (void)fclose(stat);
        end = strrchr(text, ')');
        (void)sched_yield();
    }
}

static void *let_go(void *arg)
{
    void (*end)(void);
    struct timespec span = { 0, HOLD_NS };
    long begin;

    memcpy(&end, arg, sizeof(end));
    await_sleep();
    begin = now_ns();
    while (nanosleep(&span, &span) != 0)
        ;
    held_ns = now_ns() - begin;
    end();
    return NULL;
}

/* A child that exits at the end of the pipe; optionally holds a file lock. */
static void make_child(int has_lock)
{
    char byte = 0;
    int ready[2];

    NEED(pipe(ends) == 0 && pipe(ready) == 0 && (child = fork()) >= 0);
    if (child == 0) {
        (void)close(ends[1]);
        NEED(!has_lock || lockf(other, F_LOCK, 0) == 0);
        NEED(write(ready[1], &byte, 1) == 1 && read(ends[0], &byte, 1) == 0);
        _exit(0);
    }
    NEED(read(ready[0], &byte, 1) == 1);
    (void)close(ready[0]);
    (void)close(ready[1]);
    (void)close(ends[0]);
}

static void before_child(void)
{
    make_child(0);
}

static void before_lockf(void)
{
    make_child(1);
}

static void end_child(void)
{
    (void)close(ends[1]);
}

static void before_flock(void)
{
    NEED(flock(other, LOCK_EX) == 0);
}

static void end_flock(void)
{
    NEED(flock(other, LOCK_UN) == 0);
}

static void before_sem(void)
{
    NEED((set = semget(IPC_PRIVATE, 1, 0600)) >= 0);
}

static void end_sem(void)
{
    struct sembuf up = { 0, 1, 0 };

    NEED(syscall(SYS_semtimedop, set, &up, 1L, NULL) == 0);
}

static void before_receive(void)
{
    NEED(socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) == 0);
}

static void end_receive(void)
{
    NEED(send(sockets[1], "x", 1, 0) == 1);
}

static void before_send(void)
{
    before_receive();
    while (send(sockets[0], "x", 1, MSG_DONTWAIT) == 1)
        ;
}

static void before_sendfile(void)
{
    char bytes[512] = { 0 };

    NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    while (send(sockets[0], bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
        ;
}

static void end_send(void)
{
    char bytes[4096];

    while (recv(sockets[1], bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
        ;
}

static void no_one(void)
{
}

/* One function per call. */

APART void wait_flock(void)
{
    NEED(flock(file, LOCK_EX) == 0 && flock(file, LOCK_UN) == 0);
}

APART void wait_lockf(void)
{
    NEED(lockf(file, F_LOCK, 0) == 0 && lockf(file, F_ULOCK, 0) == 0);
    NEED(syscall(SYS_wait4, child, NULL, 0, NULL) == child);
}

APART void wait_lockf64(void)
{
    NEED(lockf64(file, F_LOCK, 0) == 0 && lockf(file, F_ULOCK, 0) == 0);
    NEED(syscall(SYS_wait4, child, NULL, 0, NULL) == child);
}

APART void wait_semop(void)
{
    struct sembuf down = { 0, -1, 0 };

    NEED(semop(set, &down, 1) == 0 && semctl(set, 0, IPC_RMID) == 0);
}

APART void wait_semtimedop(void)
{
    struct sembuf down = { 0, -1, 0 };

    NEED(semtimedop(set, &down, 1, NULL) == 0 && semctl(set, 0, IPC_RMID) == 0);
}

APART void wait_recvmmsg(void)
{
    char byte = 0;
    struct iovec piece = { &byte, 1 };
    struct mmsghdr message = { .msg_hdr = { .msg_iov = &piece,
                                            .msg_iovlen = 1 } };

    NEED(recvmmsg(sockets[0], &message, 1, 0, NULL) == 1 && byte == 'x');
    (void)close(sockets[0]);
    (void)close(sockets[1]);
}

APART void wait_sendmmsg(void)
{
    char byte = 'y';
    struct iovec piece = { &byte, 1 };
    struct mmsghdr message = { .msg_hdr = { .msg_iov = &piece,
                                            .msg_iovlen = 1 } };

    NEED(sendmmsg(sockets[0], &message, 1, 0) == 1);
    (void)close(sockets[0]);
    (void)close(sockets[1]);
}

APART void wait_sendfile(void)
{
    off_t at = 5;

    NEED(sendfile(sockets[0], file, &at, 1) == 1 && at == 6);
}

APART void wait_sendfile64(void)
{
    off64_t at = 7;

    NEED(sendfile64(sockets[0], file, &at, 1) == 1 && at == 8);
}

APART void wait_wait(void)
{
    int status = -1;

    NEED(wait(&status) == child && status == 0);
}

APART void wait_wait3(void)
{
    struct rusage usage;
    int status = -1;

    NEED(wait3(&status, 0, &usage) == child && status == 0);
}

APART void wait_wait4(void)
{
    struct rusage usage;
    int status = -1;

    NEED(wait4(child, &status, 0, &usage) == child && status == 0);
}

APART void wait_waitid(void)
{
    siginfo_t info = { 0 };

    NEED(waitid(P_PID, (id_t)child, &info, WEXITED) == 0);
    NEED(info.si_pid == child && info.si_status == 0);
}

APART void wait_waitpid(void)
{
    int status = -1;

    NEED(waitpid(child, &status, 0) == child && status == 0);
}

APART void wait_pwrite(void)
{
    memset(big, 'a', BIG);
    NEED(pwrite(file, big, BIG, 3) == (ssize_t)BIG);
}

APART void wait_pwrite64(void)
{
    memset(big, 'b', BIG);
    NEED(pwrite64(file, big, BIG, 3) == (ssize_t)BIG);
}

APART void wait_pread(void)
{
    big[BIG - 1] = 0;
    NEED(pread(file, big, BIG, 3) == (ssize_t)BIG && big[BIG - 1] == 'b');
}

APART void wait_pread64(void)
{
    big[0] = 0;
    NEED(pread64(file, big, BIG, 3) == (ssize_t)BIG && big[0] == 'b');
}

APART void wait_pwritev(void)
{
    struct iovec piece = { big, BIG };

    memset(big, 'c', BIG);
    NEED(pwritev(file, &piece, 1, 9) == (ssize_t)BIG);
}

APART void wait_pwritev64(void)
{
    struct iovec piece = { big, BIG };

    memset(big, 'd', BIG);
    NEED(pwritev64(file, &piece, 1, 9) == (ssize_t)BIG);
}

APART void wait_preadv(void)
{
    struct iovec piece = { big, BIG };

    big[0] = 0;
    NEED(preadv(file, &piece, 1, 9) == (ssize_t)BIG && big[0] == 'd');
}

APART void wait_preadv64(void)
{
    struct iovec piece = { big, BIG };

    big[1] = 0;
    NEED(preadv64(file, &piece, 1, 9) == (ssize_t)BIG && big[1] == 'd');
}

#define CASE(name, kind, before, end)                                          \
    {                                                                          \
#name, kind, before, end, name                                         \
    }

static const struct call {
    const char *name, *kind;
    void (*before)(void), (*end)(void), (*wait)(void);
} calls[] = {
    CASE(wait_flock, "file lock", before_flock, end_flock),
    CASE(wait_lockf, "file lock", before_lockf, end_child),
    CASE(wait_lockf64, "file lock", before_lockf, end_child),
    CASE(wait_semop, "semaphore", before_sem, end_sem),
    CASE(wait_semtimedop, "semaphore", before_sem, end_sem),
    CASE(wait_recvmmsg, "io", before_receive, end_receive),
    CASE(wait_sendmmsg, "io", before_send, end_send),
    CASE(wait_sendfile, "io", before_sendfile, end_send),
    CASE(wait_sendfile64, "io", before_sendfile, end_send),
    CASE(wait_wait, "child", before_child, end_child),
    CASE(wait_wait3, "child", before_child, end_child),
    CASE(wait_wait4, "child", before_child, end_child),
    CASE(wait_waitid, "child", before_child, end_child),
    CASE(wait_waitpid, "child", before_child, end_child),
    CASE(wait_pwrite, "io", no_one, NULL),
    CASE(wait_pwrite64, "io", no_one, NULL),
    CASE(wait_pread, "io", no_one, NULL),
    CASE(wait_pread64, "io", no_one, NULL),
    CASE(wait_pwritev, "io", no_one, NULL),
    CASE(wait_pwritev64, "io", no_one, NULL),
    CASE(wait_preadv, "io", no_one, NULL),
    CASE(wait_preadv64, "io", no_one, NULL),
};

static void run(const struct call *call)
{
    pthread_t thread;
    long begin;

    held_ns = MIN_NS;
    call->before();
    if (call->end)
        NEED(pthread_create(&thread, NULL, let_go, (void *)&call->end) == 0);
    begin = now_ns();
    call->wait();
    begin = now_ns() - begin;
    if (call->end)
        (void)pthread_join(thread, NULL);
    (void)printf("%s:%s:%ld:%ld\n", call->name, call->kind, held_ns, begin);
}

/* Calls that may not block: checks only their results. */
static void run_quick(void)
{
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

    NEED(page != MAP_FAILED && msync(page, 4096, MS_SYNC) == 0);
    NEED(sync_file_range(file, 0, 4096, SYNC_FILE_RANGE_WRITE) == 0);
    NEED(msync(page + 1, 1, MS_SYNC) == -1 && pread(-1, page, 1, 0) == -1);
    NEED(wait(NULL) == -1 && flock(-1, LOCK_EX) == -1);
}

static int save(const char *folder)
{
    struct cpprof_profile *p = cpprof_start("block");
    int fd;

    (void)snprintf(path, sizeof(path), "%s/calls-block.pb.gz", folder);
    fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    return !p || fd < 0 || cpprof_stop(p, fd) != 0;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    waiter = (pid_t)syscall(SYS_gettid);
    (void)snprintf(path, sizeof(path), "%s/calls.bin", argv[1]);
    file = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
    other = open(path, O_RDWR);
    big = malloc(BIG);
    NEED(file >= 0 && other >= 0 && big && write(file, "0123456789", 10) == 10);
    NEED(cpprof_set_block_rate(1) == 0);
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        run(&calls[i]);
    run_quick();
    NEED(cpprof_set_block_rate(0) == 0);
    (void)unlink(path);
    free(big);
    return save(argv[1]);
}
