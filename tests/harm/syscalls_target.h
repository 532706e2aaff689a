/*
 * syscalls_target - makes every blocking call of Linux and compares each
 * result with the expected one.
 *
 * Several threads, including the main thread, work through the tables of
 * calls. Each thread has a slot with a peer thread, which makes the call block
 * and then ends it. An unexpected value, errno or byte, or an early return is a
 * difference. Peers retry interrupted calls, so that a difference is always one
 * of the call under test.
 *
 * Results do not depend on timing: a call that does not block is compared too.
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
    ((size_t)48 << 10) /* bytes; several times the capacity of a pipe          \
                        */
#define N_FDS 8

struct slot;

struct call {
    const char *name;
    void (*run)(struct slot *s);
    void (*open)(struct slot *s);    /* creates the object of the call */
    ssize_t (*move)(struct slot *s); /* the transfer under test */
    int n_at_once;                   /* iterations per run; 0 means 1 */
};

/* State of a thread that makes calls, shared with its peer. */
struct slot {
    const struct call *call;
    pthread_t thread;
    pid_t tid;
    uint32_t random;
    const char *folder;
    int index;

    int fd[N_FDS];             /* closed after each run; -1 means unused */
    size_t total;              /* bytes of the transfer */
    const unsigned char *data; /* bytes to send and to expect */
    unsigned char *room;       /* PATTERN_BYTES for received bytes */
    size_t n_arrived;          /* bytes that the peer has compared */
    bool is_garbled;           /* true if the peer received other bytes */
    _Atomic int n_handled;     /* signals that the slot's handler has counted */
    _Atomic int is_acked;
    _Atomic uint32_t word; /* futex word */
    pid_t child;
    void *object; /* parameters shared by the call and its peer */
    void *kept;   /* memory that each run replaces */
    bool is_long; /* true if the peer holds its lock until the call returns */
    int n_lost;   /* blocks that lose_block has allocated */

    pthread_mutex_t lock;
    pthread_cond_t changed;
    void (*job)(struct slot *s); /* NULL while the peer is idle */
    pthread_t peer;
    bool is_over;
};

/* Tables of calls; each ends with an empty name. */
extern const struct call stream_calls[], splice_calls[], receive_calls[],
    connect_calls[], poll_calls[], sleep_calls[], signal_calls[], event_calls[],
    process_calls[], futex_calls[], pthread_calls[], ipc_calls[], file_calls[],
    ring_calls[], restart_calls[];

/* Records a difference of the slot's current call. */
void differ(struct slot *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Marks the call as not available (an old kernel, a sandbox). */
void skip(struct slot *s, const char *reason);

/* Compares a result, and errno if -1 is expected. `what` names the step. */
bool expect(struct slot *s, const char *what, long got, long wanted);
bool expect_error(struct slot *s, const char *what, long got, int error);
/* The same for functions that return an error number. */
bool expect_code(struct slot *s, const char *what, int got, int wanted);
/* Checks that at least that many ns have passed since start. */
void expect_lasted(struct slot *s, const char *what, int64_t start_ns,
                   int64_t min_ns);
void expect_bytes(struct slot *s, const char *what, const void *got, size_t at,
                  size_t n);

int64_t now_ns(void);
struct timespec after_ns(clockid_t clock, int64_t ns);
uint32_t draw(struct slot *s, uint32_t below);
void burn(int64_t ns);            /* computes for ns */
void pause_ns(int64_t ns);        /* sleeps for ns in spite of signals */
void short_delay(struct slot *s); /* delay of a peer before it acts */

/* Starts the function in the slot's peer thread; end waits for its return. */
void peer_begin(struct slot *s, void (*job)(struct slot *s));
void peer_end(struct slot *s);
void run_peer(struct slot *s);

/* Transfer all n bytes in spite of signals. False after the peer's close. */
bool write_all(int fd, const void *bytes, size_t n);
bool read_all(int fd, void *bytes, size_t n);

/* Ends the program with a message if a call of the test itself fails. */
void fatal(const char *what) __attribute__((noreturn));
int must(int result, const char *what);
void close_fds(struct slot *s);

/* Peers of transfers; they use fd[0]. */
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
int make_file(struct slot *s); /* a file with s->total bytes of s->data */

/* The handler of SIGUSR1 counts in the slot of its thread. */
extern __thread struct slot *my_slot;

#define LONG_NS ((int64_t)3600 * 1000000000)
#define MS ((int64_t)1000000)

#endif
