/*
 * syscalls_target - a program that makes every blocking call of Linux, with
 * peers that it knows, and compares each result with what must come.
 *
 * Several threads, the main thread among them, work through the tables of
 * calls. Each has a slot with a peer thread of its own, which makes the call
 * block and ends it. A call that ends otherwise than its peer has arranged
 * (value, errno, bytes, too early) is a difference. Peers repeat what is
 * interrupted, so a difference is always one of the call under test.
 *
 * Timing decides nothing: a call that does not block is compared as well.
 */
#ifndef SYSCALLS_TARGET_H
#define SYSCALLS_TARGET_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define PATTERN_BYTES ((size_t)1 << 20)
#define MAX_SHIFT ((size_t)4096)
#define LARGE                                                                  \
    ((size_t)48 << 10) /* bytes; several times what a pipe here has            \
                        */
#define N_FDS 8

struct slot;

struct call {
    const char *name;
    void (*run)(struct slot *s);
    void (*open)(struct slot *s);    /* makes what the call works on */
    ssize_t (*move)(struct slot *s); /* the transfer under test */
    int n_at_once; /* iterations that one run counts as; 0 is 1 */
};

/* A thread that makes calls, and the place where its peer finds the work. */
struct slot {
    const struct call *call;
    pthread_t thread;
    pid_t tid;
    uint32_t random;
    const char *folder;
    int index;

    int fd[N_FDS];             /* closed after each run; -1 is free */
    size_t total;              /* bytes of the transfer */
    const unsigned char *data; /* what is sent, and what must arrive */
    unsigned char *room;       /* PATTERN_BYTES for what arrives */
    size_t n_arrived;          /* bytes that the peer has compared */
    bool is_garbled;           /* the peer got other bytes */
    _Atomic int n_handled; /* signals that the slot's own handler has seen */
    _Atomic int is_acked;
    _Atomic uint32_t word; /* for futexes */
    pid_t child;
    void *object; /* whatever the call and its peer share */
    void *kept;   /* a block of memory that is replaced at each run */
    bool is_long; /* the peer holds its lock until the call is over */
    int n_lost;   /* blocks that lose_block has made */

    pthread_mutex_t lock;
    pthread_cond_t changed;
    void (*job)(struct slot *s); /* NULL: the peer is idle */
    pthread_t peer;
    bool is_over;
};

/* The tables; each ends with a call without a name. */
extern const struct call stream_calls[], splice_calls[], receive_calls[],
    connect_calls[], poll_calls[], sleep_calls[], signal_calls[], event_calls[],
    process_calls[], futex_calls[], pthread_calls[], ipc_calls[], file_calls[],
    ring_calls[], restart_calls[];

/* Notes a difference of the call that the slot is at. */
void differ(struct slot *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The machine cannot make this call (an old kernel, a sandbox). */
void skip(struct slot *s, const char *reason);

/* Compares a result; if -1 is wanted, errno too. `what` names the step. */
bool expect(struct slot *s, const char *what, long got, long wanted);
bool expect_error(struct slot *s, const char *what, long got, int error);
/* The same for functions that return the error itself. */
bool expect_code(struct slot *s, const char *what, int got, int wanted);
/* At least that long since then. */
void expect_lasted(struct slot *s, const char *what, int64_t start_ns,
                   int64_t min_ns);
void expect_bytes(struct slot *s, const char *what, const void *got, size_t at,
                  size_t n);

int64_t now_ns(void);
struct timespec after_ns(clockid_t clock, int64_t ns);
uint32_t draw(struct slot *s, uint32_t below);
void burn(int64_t ns);            /* computes that long */
void pause_ns(int64_t ns);        /* sleeps that long, whatever interrupts */
void short_delay(struct slot *s); /* what peers wait before they act */

/* Has the slot's peer thread run the function; end waits until it has. */
void peer_begin(struct slot *s, void (*job)(struct slot *s));
void peer_end(struct slot *s);
void run_peer(struct slot *s);

/* Of all `n` bytes, whatever interrupts. False: the other side has gone. */
bool write_all(int fd, const void *bytes, size_t n);
bool read_all(int fd, void *bytes, size_t n);

/* Ends the program: the test itself cannot go on. */
void fatal(const char *what) __attribute__((noreturn));
int must(int result, const char *what);
void close_fds(struct slot *s);

/* Peers of transfers: fd[0] is theirs. */
void drain_slowly(struct slot *s); /* reads and compares s->total bytes */
void feed_slowly(struct slot *s);  /* writes s->total bytes in pieces */

/* Channels: fd[0] for the peer, fd[1] for the call under test. */
void open_pipe_out(struct slot *s); /* the call writes */
void open_pipe_in(struct slot *s);  /* the call reads */
void open_fifo_out(struct slot *s);
void open_stream(struct slot *s);
void open_stream_timed(struct slot *s); /* long SO_RCVTIMEO and SO_SNDTIMEO */
void open_seqpacket(struct slot *s);
void open_dgram(struct slot *s);
void open_tcp(struct slot *s);
void open_tcp_timed(struct slot *s);
void open_pty(struct slot *s); /* raw; fd[1] is the terminal */
void set_timeouts(int fd, int64_t ns);
int make_file(struct slot *s); /* with s->data in it, s->total bytes */

/* The handler of SIGUSR1 counts in the slot of its thread. */
extern __thread struct slot *my_slot;

#define LONG_NS ((int64_t)3600 * 1000000000)
#define MS ((int64_t)1000000)

#endif
