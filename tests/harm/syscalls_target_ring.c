/*
 * syscalls_target_ring.c - io_uring and Linux AIO by system calls: waiting for
 * one completion, or for a timeout.
 */
#include "syscalls_target.h"

#include <errno.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TIMEOUT_NS (3 * MS)

/*
 * The kernel's teardown of a ring later interrupts the thread that has used it,
 * so that io_getevents and others return EINTR. Therefore each ring has its own
 * thread.
 */
struct job {
    struct slot *slot;
    void (*run)(struct slot *s);
};
#define RING_BYTES ((size_t)4096)

/* The three mappings of a ring with one entry. */
struct ring {
    struct io_uring_params p;
    char *sq, *cq;
    struct io_uring_sqe *sqes;
};

static void write_late(struct slot *s)
{
    short_delay(s);
    (void)write_all(s->fd[0], "x", 1);
}

static void *map_ring(int fd, uint64_t offset)
{
    void *map = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_POPULATE, fd, (off_t)offset);

    if (map == MAP_FAILED)
        fatal("mmap of a ring");
    return map;
}

static bool open_ring(struct slot *s, struct ring *r)
{
    *r = (struct ring){ 0 };
    s->fd[3] = (int)syscall(SYS_io_uring_setup, 1, &r->p);
    if (s->fd[3] < 0) {
        skip(s, "the kernel allows no io_uring");
        return false;
    }
    r->sq = map_ring(s->fd[3], IORING_OFF_SQ_RING);
    r->cq = map_ring(s->fd[3], IORING_OFF_CQ_RING);
    r->sqes = map_ring(s->fd[3], IORING_OFF_SQES);
    return true;
}

static void close_ring(struct slot *s, struct ring *r)
{
    (void)munmap(r->sq, RING_BYTES);
    (void)munmap(r->cq, RING_BYTES);
    (void)munmap(r->sqes, RING_BYTES);
    (void)close(s->fd[3]);
    s->fd[3] = -1;
}

/* The entry waits for input on fd[1]. */
static void queue_poll(struct slot *s, struct ring *r)
{
    uint32_t *array = (uint32_t *)(void *)(r->sq + r->p.sq_off.array);
    _Atomic uint32_t *tail =
        (_Atomic uint32_t *)(void *)(r->sq + r->p.sq_off.tail);

    memset(r->sqes, 0, sizeof(*r->sqes));
    r->sqes->opcode = IORING_OP_POLL_ADD;
    r->sqes->fd = s->fd[1];
    r->sqes->poll_events = POLLIN;
    r->sqes->user_data = 4711;
    array[0] = 0;
    atomic_fetch_add(tail, 1);
}

static long n_completed(const struct ring *r)
{
    const uint32_t *head =
        (const uint32_t *)(const void *)(r->cq + r->p.cq_off.head);
    const uint32_t *tail =
        (const uint32_t *)(const void *)(r->cq + r->p.cq_off.tail);

    return (long)(__atomic_load_n(tail, __ATOMIC_ACQUIRE) - *head);
}

static void use_ring(struct slot *s)
{
    struct ring r;

    open_pipe_in(s);
    if (!open_ring(s, &r))
        return;
    queue_poll(s, &r);
    peer_begin(s, write_late);
    (void)expect(s, "io_uring_enter",
                 syscall(SYS_io_uring_enter, s->fd[3], 1, 1,
                         IORING_ENTER_GETEVENTS, NULL, 0),
                 1);
    peer_end(s);
    close_ring(s, &r);
}

/* Submits everything before: an interruption then shows as EINTR. */
static void use_ring_wait(struct slot *s)
{
    struct ring r;

    open_pipe_in(s);
    if (!open_ring(s, &r))
        return;
    queue_poll(s, &r);
    must((int)syscall(SYS_io_uring_enter, s->fd[3], 1, 0, 0, NULL, 0) - 1,
         "io_uring_enter");
    peer_begin(s, write_late);
    (void)expect(s, "io_uring_enter",
                 syscall(SYS_io_uring_enter, s->fd[3], 0, 1,
                         IORING_ENTER_GETEVENTS, NULL, 0),
                 0);
    (void)expect(s, "completions at the return", n_completed(&r), 1);
    peer_end(s);
    close_ring(s, &r);
}

static void use_ring_timeout(struct slot *s)
{
    struct __kernel_timespec t = { 0, TIMEOUT_NS };
    struct io_uring_getevents_arg arg = { .ts = (uintptr_t)&t };
    struct ring r;
    int64_t start;

    if (!open_ring(s, &r))
        return;
    if (!(r.p.features & IORING_FEAT_EXT_ARG)) {
        skip(s, "the kernel's io_uring_enter takes no timeout");
    } else {
        start = now_ns();
        if (expect_error(s, "io_uring_enter",
                         syscall(SYS_io_uring_enter, s->fd[3], 0, 1,
                                 IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG,
                                 &arg, sizeof(arg)),
                         ETIME))
            expect_lasted(s, "io_uring_enter", start, TIMEOUT_NS);
    }
    close_ring(s, &r);
}

static void *run_job(void *arg)
{
    struct job *job = arg;

    job->run(job->slot);
    return NULL;
}

static void run_in_thread(struct slot *s, void (*run)(struct slot *s))
{
    struct job job = { s, run };
    pthread_t thread;

    must(pthread_create(&thread, NULL, run_job, &job), "pthread_create");
    must(pthread_join(thread, NULL), "pthread_join");
}

static void run_ring(struct slot *s)
{
    run_in_thread(s, use_ring);
}

static void run_ring_wait(struct slot *s)
{
    run_in_thread(s, use_ring_wait);
}

static void run_ring_timeout(struct slot *s)
{
    run_in_thread(s, use_ring_timeout);
}

static bool open_aio(struct slot *s, aio_context_t *out)
{
    *out = 0;
    if (syscall(SYS_io_setup, 1, out) == 0)
        return true;
    skip(s, "the kernel allows no io_setup");
    return false;
}

static void run_getevents(struct slot *s)
{
    struct iocb poll_input = { .aio_lio_opcode = IOCB_CMD_POLL,
                               .aio_data = 4711,
                               .aio_buf = POLLIN };
    struct iocb *list = &poll_input;
    struct io_event event = { 0 };
    aio_context_t context;

    open_pipe_in(s);
    if (!open_aio(s, &context))
        return;
    poll_input.aio_fildes = (uint32_t)s->fd[1];
    must((int)syscall(SYS_io_submit, context, 1, &list) - 1, "io_submit");
    peer_begin(s, write_late);
    if (expect(s, "io_getevents",
               syscall(SYS_io_getevents, context, 1, 1, &event, NULL), 1))
        (void)expect(s, "the event's data", (long)event.data, 4711);
    peer_end(s);
    (void)syscall(SYS_io_destroy, context);
}

static void run_getevents_timeout(struct slot *s)
{
    struct timespec t = { 0, TIMEOUT_NS };
    struct io_event event;
    aio_context_t context;
    int64_t start;

    if (!open_aio(s, &context))
        return;
    start = now_ns();
    if (expect(s, "io_getevents",
               syscall(SYS_io_getevents, context, 1, 1, &event, &t), 0))
        expect_lasted(s, "io_getevents", start, TIMEOUT_NS);
    (void)syscall(SYS_io_destroy, context);
}

const struct call ring_calls[] = {
    { "io_uring-submit-and-wait", run_ring, NULL, NULL, 0 },
    { "io_uring-wait", run_ring_wait, NULL, NULL, 0 },
    { "io_uring-times-out", run_ring_timeout, NULL, NULL, 0 },
    { "io_getevents", run_getevents, NULL, NULL, 0 },
    { "io_getevents-times-out", run_getevents_timeout, NULL, NULL, 0 },
    { 0 },
};
