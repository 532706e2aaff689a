/* attach.c - see attach.h. */
#include "launch/attach.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_start.h"
#include "http/address.h"
#include "http/client.h"
#include "http/token.h"
#include "launch/safe_point.h"
#include "launch/target.h"
#include "launch/tracee.h"

#define MAX_THREADS 64
#define CATCH_MS 12000 /* for all threads together */
#define CALL_MS 10000
#define END_MS 10000
#define SERVED_TIMEOUT_MS 1000
#define REACH_TIMEOUT_MS 10000
#define POLL_NS 2000000

/*
 * A piece of memory in the process, for as long as we are there: texts at its
 * beginning, the stack at its end.
 */
#define SCRATCH_BYTES ((uint64_t)512 << 10)
#define ROOM 4096 /* for each text */
enum {
    AT_LIBRARY = 0,
    AT_LISTEN = ROOM,
    AT_SETTINGS = 2 * ROOM,
    AT_RESULT = 3 * ROOM
};

struct session {
    const struct cp_attach *a;
    struct cp_tracee *tracee;
    uint64_t scratch;
    uint64_t errno_at; /* of the thread */
    int number;        /* what was there */
};

/* ---- in the process ---- */

static enum cp_status call(struct session *v, uint64_t function,
                           const uint64_t args[4], uint64_t *out,
                           struct cp_error *err)
{
    struct cp_tracee_call c = { .function = function,
                                .stack_top = v->scratch + SCRATCH_BYTES - 64,
                                .timeout_ms = CALL_MS };

    memcpy(c.args, args, sizeof(c.args));
    return cp_tracee_call(v->tracee, &c, out, err);
}

static enum cp_status put(struct session *v, uint64_t at, const char *text,
                          struct cp_error *err)
{
    size_t len = strlen(text) + 1;

    if (len <= ROOM && cp_tracee_write(v->tracee, v->scratch + at, text, len))
        return CP_OK;
    return cp_error_set(err, CP_EIO, "cannot write its memory");
}

static enum cp_status prepare(struct session *v, struct cp_error *err)
{
    const uint64_t args[6] = { 0,
                               SCRATCH_BYTES,
                               PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS,
                               (uint64_t)-1,
                               0 };
    enum cp_status status =
        cp_tracee_syscall(v->tracee, SYS_mmap, args, &v->scratch, err);

    if (status == CP_OK)
        status = put(v, AT_LIBRARY, v->a->library, err);
    if (status == CP_OK)
        status = put(v, AT_LISTEN, v->a->listen, err);
    if (status == CP_OK)
        status = put(v, AT_SETTINGS, v->a->settings, err);
    return status;
}

/* The thread's errno, which what we call may change. */
static enum cp_status keep_errno(struct session *v, struct cp_error *err)
{
    static const uint64_t none[4];
    uint64_t function;
    enum cp_status status = cp_target_function(
        v->a->pid, "libc.so.6", "__errno_location", &function, err);

    if (status == CP_OK)
        status = call(v, function, none, &v->errno_at, err);
    if (status == CP_OK &&
        !cp_tracee_read(v->tracee, v->errno_at, &v->number, sizeof(v->number)))
        return cp_error_set(err, CP_EIO, "cannot read its memory");
    return status;
}

static enum cp_status find_dlopen(pid_t pid, uint64_t *out,
                                  struct cp_error *err)
{
    enum cp_status status =
        cp_target_function(pid, "libc.so.6", "dlopen", out, err);

    if (status == CP_EUSAGE) /* before glibc 2.34 */
        status = cp_target_function(pid, "libdl.so.2", "dlopen", out, err);
    return status;
}

static enum cp_status explain(struct session *v, struct cp_error *err)
{
    static const uint64_t none[4];
    uint64_t function, at = 0;
    char text[256] = "";

    if (cp_target_function(v->a->pid, "libc.so.6", "dlerror", &function,
                           NULL) == CP_OK &&
        call(v, function, none, &at, NULL) == CP_OK && at)
        (void)cp_tracee_read(v->tracee, at, text, sizeof(text) - 1);
    return cp_error_set(err, CP_EIO, "its loader says: %s",
                        *text ? text : "no");
}

/* One that is there already is taken: the program calls its hooks. */
static enum cp_status load(struct session *v, struct cp_error *err)
{
    const uint64_t args[4] = { v->scratch + AT_LIBRARY, RTLD_NOW };
    uint64_t function, handle = 0;
    enum cp_status status;

    if (cp_target_function(v->a->pid, "libcpprof.so", "cpprof_attach",
                           &function, NULL) == CP_OK)
        return CP_OK;
    status = find_dlopen(v->a->pid, &function, err);
    if (status == CP_OK)
        status = call(v, function, args, &handle, err);
    if (status == CP_OK && !handle)
        return explain(v, err);
    return status;
}

/* The library there may be anything: its answer is checked. */
static enum cp_status listen_there(struct session *v, char *out,
                                   struct cp_error *err)
{
    const uint64_t args[4] = { v->scratch + AT_LISTEN, v->scratch + AT_SETTINGS,
                               v->scratch + AT_RESULT, CP_ATTACH_ADDRESS };
    uint64_t function, result = 0;
    char text[CP_ATTACH_ADDRESS] = "";
    struct cp_http_address address;
    enum cp_status status = cp_target_function(v->a->pid, "libcpprof.so",
                                               "cpprof_attach", &function, err);

    if (status == CP_OK)
        status = call(v, function, args, &result, err);
    if (status == CP_OK && !cp_tracee_read(v->tracee, v->scratch + AT_RESULT,
                                           text, sizeof(text) - 1))
        return cp_error_set(err, CP_EIO, "cannot read its memory");
    if (status == CP_OK && (int32_t)result != 0)
        return cp_error_set(err, CP_EIO, "%s", text);
    if (status == CP_OK && *v->a->listen)
        status = cp_http_client_parse(&address, text, err);
    if (status == CP_OK)
        (void)snprintf(out, CP_ATTACH_ADDRESS, "%s", text);
    return status;
}

static enum cp_status work(struct session *v, char *out, struct cp_error *err)
{
    const uint64_t args[6] = { 0, SCRATCH_BYTES };
    uint64_t unmap[6], ignored;
    enum cp_status status = prepare(v, err);

    if (status == CP_OK)
        status = keep_errno(v, err);
    if (status == CP_OK)
        status = load(v, err);
    if (status == CP_OK)
        status = listen_there(v, out, err);
    if (v->errno_at)
        (void)cp_tracee_write(v->tracee, v->errno_at, &v->number,
                              sizeof(v->number));
    memcpy(unmap, args, sizeof(unmap));
    unmap[0] = v->scratch;
    if (v->scratch)
        (void)cp_tracee_syscall(v->tracee, SYS_munmap, unmap, &ignored, NULL);
    return status;
}

/* ---- from outside ---- */

static enum cp_status explain_refusal(pid_t pid, struct cp_error *err)
{
    char text[8];
    char scope = cp_file_start(AT_FDCWD, "/proc/sys/kernel/yama/ptrace_scope",
                               0, text, sizeof(text)) > 0
                     ? text[0]
                     : '0';

    if (scope == '3')
        return cp_error_set(err, CP_EUSAGE,
                            "this system forbids tracing to everybody "
                            "(kernel.yama.ptrace_scope is 3): start the "
                            "program with cpprof run");
    if (scope != '0' && geteuid() != 0)
        return cp_error_set(err, CP_EUSAGE,
                            "this system lets only root trace process %ld "
                            "(kernel.yama.ptrace_scope is %c): try with sudo",
                            (long)pid, scope);
    return cp_error_set(err, CP_EUSAGE,
                        "the system does not let us trace process %ld: it is "
                        "another user's, protects itself, or this container "
                        "has no right to (CAP_SYS_PTRACE)",
                        (long)pid);
}

/* A system call's instruction in libc; 0: none was found. */
static uint64_t find_call(pid_t pid)
{
    static const unsigned char instruction[] = { 0x0f, 0x05 };
    unsigned char code[32];
    struct iovec local = { code, sizeof(code) }, remote = { 0 };
    uint64_t function;
    const unsigned char *found;

    if (cp_target_function(pid, "libc.so.6", "getppid", &function, NULL) !=
        CP_OK)
        return 0;
    remote = (struct iovec){ (void *)function, sizeof(code) };
    if (process_vm_readv(pid, &local, 1, &remote, 1, 0) != sizeof(code))
        return 0;
    found = memmem(code, sizeof(code), instruction, 2);
    return found ? function + (uint64_t)(found - code) : 0;
}

/* One thread of the process, tried by a thread of ours. */
struct attempt {
    const struct cp_attach *a;
    struct cp_tracee_catch how;
    char *out_address;
    struct cp_error *err;
    enum cp_status status;
    bool is_caught;
    int number; /* errno where it was not */
};

static void *try_thread(void *arg)
{
    struct attempt *t = arg;
    struct session v = { .a = t->a };

    t->status = cp_tracee_begin(&v.tracee, &t->how, t->err);
    t->number = errno;
    t->is_caught = t->status == CP_OK;
    if (!t->is_caught)
        return NULL;
    t->status = work(&v, t->out_address, t->err);
    cp_tracee_end(v.tracee);
    if (t->status != CP_OK)
        cp_error_prefix(t->err, "process %ld: ", (long)t->a->pid);
    return NULL;
}

/* In a thread of its own: when that ends, the kernel lets the other one go. */
static enum cp_status try_apart(struct attempt *t, struct cp_error *err)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, try_thread, t) != 0)
        return cp_error_set(err, CP_ENOMEM, "cannot create a thread");
    (void)pthread_join(thread, NULL);
    return t->status;
}

/* By the first thread that reaches a safe point. */
static enum cp_status attach_by_any(struct attempt *t,
                                    struct cp_safe_points *quiet,
                                    struct cp_error *err)
{
    pid_t threads[MAX_THREADS];
    size_t n = cp_target_threads(t->a->pid, threads, MAX_THREADS);
    int each = n > 1 ? CATCH_MS / 4 : CATCH_MS, left = CATCH_MS;

    t->how.timeout_ms = each;
    t->how.call_at = find_call(t->a->pid);
    t->how.quiet = t->how.call_at ? quiet : NULL;
    for (size_t i = 0; i < n && left > 0; i++, left -= each) {
        enum cp_status status;

        t->how.tid = threads[i];
        status = try_apart(t, err);
        if (t->is_caught || status == CP_EUSAGE || status == CP_ENOMEM)
            return status;
        if (t->number == EPERM)
            return explain_refusal(t->a->pid, err);
    }
    return cp_error_set(err, CP_EUSAGE,
                        "no thread of process %ld reached a safe point within "
                        "%d s. Try again, or use cpprof run",
                        (long)t->a->pid, CATCH_MS / 1000);
}

/* While a thread is in our hands we must not be ended. */
static void hold_signals(sigset_t *before)
{
    sigset_t all;

    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, before);
}

/* With a thread of the process that is stopped at a safe point. */
static enum cp_status call_inside(const struct cp_attach *a,
                                  char out_address[CP_ATTACH_ADDRESS],
                                  struct cp_error *err)
{
    struct attempt attempt = { .a = a, .out_address = out_address, .err = err };
    enum cp_status status;
    struct cp_safe_points *quiet;
    sigset_t before;

    quiet = cp_safe_point_new(a->pid, NULL);
    hold_signals(&before);
    status = attach_by_any(&attempt, quiet, err);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    cp_safe_point_free(quiet);
    return status;
}

enum cp_status cp_attach(const struct cp_attach *a,
                         char out_address[CP_ATTACH_ADDRESS],
                         struct cp_error *err)
{
    struct cp_http_probe probe = { .owner = CP_HTTP_ANY_OWNER };
    enum cp_status status = cp_target_check(a->pid, a->library, err);

    if (status == CP_OK)
        status = call_inside(a, out_address, err);
    if (status != CP_OK)
        return status;
    (void)cp_http_client_parse(&probe.to, out_address, NULL);
    cp_http_client_probe(&probe, 1, REACH_TIMEOUT_MS);
    if (probe.is_served)
        return CP_OK;
    (void)cp_attach_withdraw(a->pid, NULL);
    return cp_error_set(err, CP_EIO,
                        "process %ld: %s cannot be reached from here; give "
                        "--listen=unix:/PATH",
                        (long)a->pid, out_address);
}

/* The library there takes "" for: end the visit. */
enum cp_status cp_attach_withdraw(pid_t pid, struct cp_error *err)
{
    const struct cp_attach a = {
        .pid = pid, .library = "", .listen = "", .settings = ""
    };
    char unused[CP_ATTACH_ADDRESS];
    uint64_t function;

    if (cp_target_function(pid, "libcpprof.so", "cpprof_attach", &function,
                           err) != CP_OK)
        return CP_EUSAGE;
    return call_inside(&a, unused, err);
}

enum cp_status cp_attach_detach(const char *address, struct cp_error *err)
{
    struct cp_http_client_request question = { .method = "POST",
                                               .target = "/debug/pprof/detach",
                                               .timeout_ms = END_MS,
                                               .out_fd = -1 };
    const struct timespec nap = { 0, POLL_NS };
    struct cp_http_probe probe = { .owner = CP_HTTP_ANY_OWNER };
    struct cp_http_reply reply;
    enum cp_status status = cp_http_client_parse(&probe.to, address, err);

    if (status == CP_OK) {
        question.token = cp_http_token_for(&probe.to);
        status = cp_http_client_send(&probe.to, &question, &reply, err);
    }
    if (status != CP_OK)
        return status;
    if (reply.status == 404)
        return cp_error_set(err, CP_EUSAGE,
                            "the program at %s was started with the library: "
                            "nobody has attached",
                            address);
    if (reply.status != 200)
        return cp_error_set(err, CP_EIO, "%s: status %d: %s", address,
                            reply.status, reply.text);
    for (int i = 0; i < END_MS * 1000000LL / POLL_NS; i++) {
        cp_http_client_probe(&probe, 1, SERVED_TIMEOUT_MS);
        if (!probe.is_served)
            return CP_OK;
        (void)nanosleep(&nap, NULL);
    }
    return cp_error_set(err, CP_EIO, "%s still answers", address);
}
