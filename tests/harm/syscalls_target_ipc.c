/* syscalls_target_ipc.c - System V semaphores and messages, POSIX queues. */
#include "syscalls_target.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel measures these timeouts in ticks, which are late in a slow virtual
 * machine, so their duration is not compared. */
#define TIMEOUT_NS (15 * MS)
#define TEXT 2000

struct letter {
    long type;
    char text[TEXT];
};

static void post_late(struct slot *s)
{
    struct sembuf up = { 0, 1, 0 };

    short_delay(s);
    (void)semop(s->fd[7], &up, 1);
}

/* fd[7] holds an IPC id during a run; it is no descriptor. */
static bool get_sem(struct slot *s)
{
    s->fd[7] = semget(IPC_PRIVATE, 1, 0600);
    if (s->fd[7] < 0)
        skip(s, strerror(errno));
    return s->fd[7] >= 0;
}

static void drop_sem(struct slot *s)
{
    (void)semctl(s->fd[7], 0, IPC_RMID);
    s->fd[7] = -1;
}

static void check_sem(struct slot *s, const struct timespec *t)
{
    struct sembuf down = { 0, -1, 0 };
    int result;

    if (!get_sem(s))
        return;
    peer_begin(s, post_late);
    result = t ? semtimedop(s->fd[7], &down, 1, t) : semop(s->fd[7], &down, 1);
    (void)expect(s, "semop", result, 0);
    peer_end(s);
    drop_sem(s);
}

static void run_semop(struct slot *s)
{
    check_sem(s, NULL);
}

static void run_semtimedop(struct slot *s)
{
    struct timespec t = { 3600, 0 };

    check_sem(s, &t);
}

static void run_sem_timeout(struct slot *s)
{
    struct timespec t = { 0, TIMEOUT_NS };
    struct sembuf down = { 0, -1, 0 };

    if (!get_sem(s))
        return;
    (void)expect_error(s, "semtimedop", semtimedop(s->fd[7], &down, 1, &t),
                       EAGAIN);
    drop_sem(s);
}

static bool get_queue(struct slot *s)
{
    s->fd[7] = msgget(IPC_PRIVATE, 0600);
    if (s->fd[7] < 0)
        skip(s, strerror(errno));
    return s->fd[7] >= 0;
}

static void drop_queue(struct slot *s)
{
    (void)msgctl(s->fd[7], IPC_RMID, NULL);
    s->fd[7] = -1;
}

static void send_late(struct slot *s)
{
    struct letter letter = { .type = 3 };

    (void)memset(letter.text, 'x', TEXT);
    short_delay(s);
    while (msgsnd(s->fd[7], &letter, TEXT, 0) != 0 && errno == EINTR)
        ;
}

static void run_msgrcv(struct slot *s)
{
    struct letter letter = { 0 };

    if (!get_queue(s))
        return;
    peer_begin(s, send_late);
    if (expect(s, "msgrcv", msgrcv(s->fd[7], &letter, TEXT, 0, 0), TEXT))
        (void)expect(s, "the message",
                     letter.type == 3 && letter.text[TEXT - 1] == 'x', 1);
    peer_end(s);
    drop_queue(s);
}

static void receive_late(struct slot *s)
{
    struct letter letter;

    short_delay(s);
    while (msgrcv(s->fd[7], &letter, TEXT, 0, 0) < 0 && errno == EINTR)
        ;
}

static void run_msgsnd(struct slot *s)
{
    struct letter letter = { .type = 1, .text = { 0 } };

    if (!get_queue(s))
        return;
    while (msgsnd(s->fd[7], &letter, TEXT, IPC_NOWAIT) == 0)
        ;
    peer_begin(s, receive_late);
    (void)expect(s, "msgsnd", msgsnd(s->fd[7], &letter, TEXT, 0), 0);
    peer_end(s);
    drop_queue(s);
}

/* A queue with room for one message. */
static bool open_mq(struct slot *s)
{
    struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = 100 };
    char name[40];

    (void)snprintf(name, sizeof(name), "/cp-%d-%d", (int)getpid(), s->index);
    s->fd[0] = mq_open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0600, &attr);
    (void)mq_unlink(name);
    if (s->fd[0] < 0)
        skip(s, strerror(errno));
    return s->fd[0] >= 0;
}

static void mq_send_late(struct slot *s)
{
    short_delay(s);
    while (mq_send(s->fd[0], "hello", 5, 2) != 0 && errno == EINTR)
        ;
}

static void mq_receive_late(struct slot *s)
{
    char text[100];

    short_delay(s);
    while (mq_receive(s->fd[0], text, sizeof(text), NULL) < 0 && errno == EINTR)
        ;
}

static void check_receive(struct slot *s, const struct timespec *t)
{
    char text[100] = "";
    unsigned priority = 0;
    ssize_t n;

    if (!open_mq(s))
        return;
    peer_begin(s, mq_send_late);
    n = t ? mq_timedreceive(s->fd[0], text, sizeof(text), &priority, t)
          : mq_receive(s->fd[0], text, sizeof(text), &priority);
    if (expect(s, "mq_receive", n, 5))
        (void)expect(s, "the message",
                     priority == 2 && memcmp(text, "hello", 5) == 0, 1);
    peer_end(s);
}

static void run_mq_receive(struct slot *s)
{
    check_receive(s, NULL);
}

static void run_mq_timedreceive(struct slot *s)
{
    struct timespec t = after_ns(CLOCK_REALTIME, LONG_NS);

    check_receive(s, &t);
}

static void check_send(struct slot *s, const struct timespec *t)
{
    if (!open_mq(s) || mq_send(s->fd[0], "a", 1, 0) != 0)
        return;
    peer_begin(s, mq_receive_late);
    (void)expect(s, "mq_send",
                 t ? mq_timedsend(s->fd[0], "b", 1, 0, t)
                   : mq_send(s->fd[0], "b", 1, 0),
                 0);
    peer_end(s);
}

static void run_mq_send(struct slot *s)
{
    check_send(s, NULL);
}

static void run_mq_timedsend(struct slot *s)
{
    struct timespec t = after_ns(CLOCK_REALTIME, LONG_NS);

    check_send(s, &t);
}

static void run_mq_timeout(struct slot *s)
{
    struct timespec t;
    int64_t start;
    char text[100];

    if (!open_mq(s))
        return;
    start = now_ns();
    t = after_ns(CLOCK_REALTIME, 3 * MS);
    if (expect_error(s, "mq_timedreceive",
                     mq_timedreceive(s->fd[0], text, sizeof(text), NULL, &t),
                     ETIMEDOUT))
        expect_lasted(s, "mq_timedreceive", start, 2 * MS);
}

const struct call ipc_calls[] = {
    { "semop", run_semop, NULL, NULL, 0 },
    { "semtimedop", run_semtimedop, NULL, NULL, 0 },
    { "semtimedop-times-out", run_sem_timeout, NULL, NULL, 0 },
    { "msgrcv", run_msgrcv, NULL, NULL, 0 },
    { "msgsnd", run_msgsnd, NULL, NULL, 0 },
    { "mq_receive", run_mq_receive, NULL, NULL, 0 },
    { "mq_timedreceive", run_mq_timedreceive, NULL, NULL, 0 },
    { "mq_send", run_mq_send, NULL, NULL, 0 },
    { "mq_timedsend", run_mq_timedsend, NULL, NULL, 0 },
    { "mq-times-out", run_mq_timeout, NULL, NULL, 0 },
    { 0 },
};
