/*
 * syscalls_target FOLDER N_THREADS N [CALL...]: makes each call at least N
 * times (those whose names contain one of the words), and goes on until the
 * input ends. Prints "ready" at the start, "enough" after N, and at the end a
 * line for each call:
 *
 *     call NAME RUNS DIFFERENCES TEXT
 *
 * TEXT describes the first difference, or says why the call was skipped.
 */
#include "syscalls_target.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define MAX_CALLS 400
#define MAX_THREADS 64
#define MAX_LOST 50

static const struct call *const tables[] = {
    stream_calls,  splice_calls, receive_calls, connect_calls, poll_calls,
    sleep_calls,   signal_calls, event_calls,   process_calls, futex_calls,
    pthread_calls, ipc_calls,    file_calls,    ring_calls,    restart_calls,
};

/* Statistics of a call. */
struct result {
    const struct call *call;
    _Atomic int n_begun;
    _Atomic int n_done;
    _Atomic int n_differences;
    char text[240]; /* the first difference */
};

static struct result results[MAX_CALLS];
static int n_results, n_wanted, n_threads;
static _Atomic int n_open; /* calls with fewer than N runs */
static _Atomic bool is_over;
static struct slot slots[MAX_THREADS];

__thread struct slot *my_slot;

static struct result *result_of(const struct call *call)
{
    int i = 0;

    while (results[i].call != call)
        i++;
    return &results[i];
}

void differ(struct slot *s, const char *format, ...)
{
    struct result *r = result_of(s->call);
    va_list args;

    if (atomic_fetch_add(&r->n_differences, 1) > 0)
        return;
    va_start(args, format);
    (void)vsnprintf(r->text, sizeof(r->text), format, args);
    va_end(args);
}

void skip(struct slot *s, const char *reason)
{
    struct result *r = result_of(s->call);

    if (!r->text[0])
        (void)snprintf(r->text, sizeof(r->text), "skipped: %s", reason);
}

static bool is_chosen(const char *name, char *const *words)
{
    for (char *const *word = words; *word; word++)
        if (strstr(name, *word))
            return true;
    return !*words;
}

static void collect(char *const *words)
{
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
        for (const struct call *call = tables[i]; call->name; call++)
            if (is_chosen(call->name, words) && n_results < MAX_CALLS)
                results[n_results++].call = call;
    n_open = n_results;
    if (n_results == 0)
        fatal("no such call");
}

/* An unreachable block, which every leak profile must show. */
__attribute__((noinline)) void lose_block(void);
__attribute__((noinline)) void lose_block(void)
{
    void *volatile block = malloc(5000);

    if (block)
        memset(block, 1, 5000);
    block = NULL;
}

/* Computes before half of the runs. */
static void run_once(struct slot *s, struct result *r)
{
    int n = r->call->n_at_once ? r->call->n_at_once : 1;
    int before;

    atomic_fetch_add(&r->n_begun, n);
    s->call = r->call;
    s->data = NULL;
    s->object = NULL;
    s->n_handled = s->is_acked = 0;
    free(s->kept); /* an allocation for memory profiles */
    s->kept = malloc(20000);
    if (s->n_lost < MAX_LOST && ++s->n_lost)
        lose_block();
    if (draw(s, 2))
        burn(draw(s, 400) * 1000);
    r->call->run(s);
    close_fds(s);
    before = atomic_fetch_add(&r->n_done, n);
    if (before < n_wanted && before + n >= n_wanted)
        n_open--;
}

/*
 * Each thread starts at another row of the table. Calls with enough runs are
 * skipped while others have too few.
 */
__attribute__((noinline)) void make_calls(struct slot *s);
__attribute__((noinline)) void make_calls(struct slot *s)
{
    int at = s->index * 37;

    while (!is_over) {
        struct result *r = &results[at++ % n_results];

        if (r->n_begun < n_wanted || n_open == 0)
            run_once(s, r);
        else if (at % n_results == 0)
            pause_ns(MS / 10); /* other threads make the last ones */
    }
}

static void count_signal(int number)
{
    (void)number;
    if (my_slot)
        atomic_fetch_add(&my_slot->n_handled, 1);
}

static void begin_slot(struct slot *s)
{
    my_slot = s;
    s->thread = pthread_self();
    s->tid = gettid();
    s->random = (uint32_t)s->index * 2654435761U + 12345;
    s->room = malloc(PATTERN_BYTES + MAX_SHIFT);
    for (int i = 0; i < N_FDS; i++)
        s->fd[i] = -1;
    if (!s->room)
        fatal("malloc");
    run_peer(s);
}

static void *run_slot(void *arg)
{
    char name[16];

    (void)snprintf(name, sizeof(name), "caller-%d",
                   ((struct slot *)arg)->index);
    (void)prctl(PR_SET_NAME, name);
    begin_slot(arg);
    make_calls(arg);
    return NULL;
}

static void report(void)
{
    for (int i = 0; i < n_results; i++)
        printf("call %s %d %d %s\n", results[i].call->name, results[i].n_done,
               results[i].n_differences, results[i].text);
    (void)fflush(stdout);
}

/* After a hang: prints the call that each thread makes. */
static void give_up(void)
{
    report();
    for (int i = 0; i < n_threads; i++)
        printf("at %s\n", slots[i].call ? slots[i].call->name : "nothing");
    (void)fflush(stdout);
    _exit(4);
}

/* Prints "enough" after N runs of all calls, and returns at the end of the
 * input. */
static void *watch_input(void *unused)
{
    struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
    bool has_said = false;
    char byte;

    while (!is_over) {
        if (n_open == 0 && !has_said)
            has_said = write_all(STDOUT_FILENO, "enough\n", 7);
        pause_ns(5 * MS);
        if (poll(&input, 1, 0) != 1)
            continue;
        if (read(STDIN_FILENO, &byte, 1) > 0)
            give_up();
        is_over = n_open == 0;
    }
    return unused;
}

static void prepare(void)
{
    const struct sigaction count = { .sa_handler = count_signal };
    struct rlimit queues = { RLIM_INFINITY, RLIM_INFINITY };
    sigset_t blocked;

    (void)unshare(CLONE_NEWIPC); /* no file is left, if the kernel permits it */
    (void)setrlimit(RLIMIT_MSGQUEUE, &queues);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)sigaction(SIGUSR1, &count, NULL);
    (void)sigemptyset(&blocked);
    (void)sigaddset(&blocked,
                    SIGUSR2); /* blocked for sigwait and similar calls */
    (void)pthread_sigmask(SIG_BLOCK, &blocked, NULL);
}

int main(int argc, char **argv)
{
    pthread_t watcher;

    n_threads = argc > 3 ? atoi(argv[2]) : 0;
    if (n_threads < 1 || n_threads > MAX_THREADS || atoi(argv[3]) < 1)
        fatal("usage: syscalls_target FOLDER N_THREADS N [CALL...]");
    n_wanted = atoi(argv[3]);
    prepare();
    collect(argv + 4);
    for (int i = 0; i < n_threads; i++)
        slots[i] = (struct slot){ .index = i, .folder = argv[1] };
    (void)write_all(STDOUT_FILENO, "ready\n", 6);
    must(pthread_create(&watcher, NULL, watch_input, NULL), "pthread_create");
    for (int i = 1; i < n_threads; i++)
        must(pthread_create(&slots[i].thread, NULL, run_slot, &slots[i]),
             "pthread_create");
    begin_slot(&slots[0]);
    make_calls(&slots[0]);
    for (int i = 1; i < n_threads; i++)
        (void)pthread_join(slots[i].thread, NULL);
    (void)pthread_join(watcher, NULL);
    report();
    return 0;
}
