/*
 * attach.c - stops a thread of the process at a safe point, makes it call
 * dlopen() and cpprof_attach(), and checks the result.
 */
#include "launch/attach.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/assert/assert.h"
#include "base/file_start.h"
#include "http/client.h"
#include "http/token.h"
#include "launch/safe_point.h"
#include "launch/target.h"
#include "launch/tracee.h"

#define MAX_THREADS 64
#define SAFE_POINT_TIMEOUT_MS 12000 /* timeout for all threads together */
#define CALL_TIMEOUT_MS 10000
#define DETACH_TIMEOUT_MS 10000
#define SERVED_TIMEOUT_MS 1000
#define REACH_TIMEOUT_MS 10000
#define POLL_NS 2000000

/*
 * Memory that is mapped in the process during the calls: string arguments at
 * the low end, the stack of the calls at the high end.
 */
#define SCRATCH_BYTES ((uint64_t)512 << 10)
#define TEXT_BYTES 4096 /* bytes per string argument */
enum {
    AT_LIBRARY = 0,
    AT_LISTEN = TEXT_BYTES,
    AT_SETTINGS = 2 * TEXT_BYTES,
    AT_RESULT = 3 * TEXT_BYTES
};

struct session {
    const struct cp_attach *a;
    struct cp_tracee *tracee;
    uint64_t scratch;  /* address of the memory; 0 if not mapped */
    uint64_t errno_at; /* address of the thread's errno */
    int saved_errno;
};

/* ---- calls inside the process ---- */

static enum cp_status call(struct session *v, uint64_t function,
                           const uint64_t args[4], uint64_t *out,
                           struct cp_error *err)
{
    struct cp_tracee_call c = { .function = function,
                                .stack_top = v->scratch + SCRATCH_BYTES - 64,
                                .timeout_ms = CALL_TIMEOUT_MS };

    memcpy(c.args, args, sizeof(c.args));
    return cp_tracee_call(v->tracee, &c, out, err);
}

static enum cp_status write_text(struct session *v, uint64_t at,
                                 const char *text, struct cp_error *err)
{
    size_t len = strlen(text) + 1;

    if (len <= TEXT_BYTES &&
        cp_tracee_write(v->tracee, v->scratch + at, text, len))
        return CP_OK;
    return cp_error_set(err, CP_EIO, "cannot write the memory of the process");
}

static enum cp_status map_scratch(struct session *v, struct cp_error *err)
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
        status = write_text(v, AT_LIBRARY, v->a->library, err);
    if (status == CP_OK)
        status = write_text(v, AT_LISTEN, v->a->listen, err);
    if (status == CP_OK)
        status = write_text(v, AT_SETTINGS, v->a->settings, err);
    return status;
}

/* Saves the thread's errno, which the calls may change. */
static enum cp_status save_errno(struct session *v, struct cp_error *err)
{
    static const uint64_t none[4];
    uint64_t function;
    enum cp_status status = cp_target_function(
        v->a->pid, "libc.so.6", "__errno_location", &function, err);

    if (status == CP_OK)
        status = call(v, function, none, &v->errno_at, err);
    if (status == CP_OK &&
        !cp_tracee_read(v->tracee, v->errno_at, &v->saved_errno,
                        sizeof(v->saved_errno)))
        return cp_error_set(err, CP_EIO,
                            "cannot read the memory of the process");
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

/* Reports the message that dlerror() returns in the process. */
static enum cp_status report_dlerror(struct session *v, struct cp_error *err)
{
    static const uint64_t none[4];
    uint64_t function, at = 0;
    char text[256] = "";

    if (cp_target_function(v->a->pid, "libc.so.6", "dlerror", &function,
                           NULL) == CP_OK &&
        call(v, function, none, &at, NULL) == CP_OK && at)
        (void)cp_tracee_read(v->tracee, at, text, sizeof(text) - 1);
    return cp_error_set(err, CP_EIO, "dlopen of %s failed: %s", v->a->library,
                        *text ? text : "no reason given");
}

/*
 * Loads the library. If it is already loaded, uses that copy, because the
 * program calls the hooks of that copy.
 */
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
        return report_dlerror(v, err);
    return status;
}

/* Calls cpprof_attach(). Its result is untrusted, so it is validated. */
static enum cp_status start_endpoint(struct session *v, char *out,
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
        return cp_error_set(err, CP_EIO,
                            "cannot read the memory of the process");
    if (status == CP_OK && (int32_t)result != 0)
        return cp_error_set(err, CP_EIO, "%s", text);
    if (status == CP_OK && *v->a->listen)
        status = cp_http_client_parse(&address, text, err);
    if (status == CP_OK)
        (void)snprintf(out, CP_ATTACH_ADDRESS, "%s", text);
    return status;
}

static enum cp_status run_session_calls(struct session *v, char *out,
                                        struct cp_error *err)
{
    const uint64_t args[6] = { 0, SCRATCH_BYTES };
    uint64_t unmap[6], ignored;
    enum cp_status status = map_scratch(v, err);

    if (status == CP_OK)
        status = save_errno(v, err);
    if (status == CP_OK)
        status = load(v, err);
    if (status == CP_OK)
        status = start_endpoint(v, out, err);
    if (v->errno_at)
        (void)cp_tracee_write(v->tracee, v->errno_at, &v->saved_errno,
                              sizeof(v->saved_errno));
    memcpy(unmap, args, sizeof(unmap));
    unmap[0] = v->scratch;
    if (v->scratch)
        (void)cp_tracee_syscall(v->tracee, SYS_munmap, unmap, &ignored, NULL);
    return status;
}

/* ---- choosing a thread ---- */

/* Explains why ptrace() failed with EPERM. */
static enum cp_status explain_eperm(pid_t pid, struct cp_error *err)
{
    char text[8];
    char scope = cp_file_start(AT_FDCWD, "/proc/sys/kernel/yama/ptrace_scope",
                               0, text, sizeof(text)) > 0
                     ? text[0]
                     : '0';

    if (scope == '3')
        return cp_error_set(
            err, CP_EUSAGE,
            "cannot attach to process %ld: this system forbids ptrace "
            "(kernel.yama.ptrace_scope is 3); start the "
            "program with cpprof run",
            (long)pid);
    if (scope != '0' && geteuid() != 0)
        return cp_error_set(
            err, CP_EUSAGE,
            "cannot attach to process %ld: this system allows ptrace to "
            "root only (kernel.yama.ptrace_scope is %c); use sudo",
            (long)pid, scope);
    return cp_error_set(
        err, CP_EUSAGE,
        "cannot attach to process %ld: ptrace is not permitted. It "
        "belongs to another user or protects itself, or this "
        "container lacks CAP_SYS_PTRACE",
        (long)pid);
}

/* Returns the address of a syscall instruction in libc; 0 if none is found. */
static uint64_t find_syscall(pid_t pid)
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

/* An attempt with one thread of the process. */
struct attempt {
    const struct cp_attach *a;
    struct cp_tracee_options options;
    char *out_address;
    struct cp_error *err;
    enum cp_status status;
    bool is_stopped; /* whether the thread reached a safe point */
    int begin_errno; /* errno after a failed cp_tracee_begin */
};

static void *try_thread(void *arg)
{
    struct attempt *t = arg;
    struct session v = { .a = t->a };

    t->status = cp_tracee_begin(&v.tracee, &t->options, t->err);
    t->begin_errno = errno;
    t->is_stopped = t->status == CP_OK;
    if (!t->is_stopped)
        return NULL;
    t->status = run_session_calls(&v, t->out_address, t->err);
    cp_tracee_end(v.tracee);
    if (t->status != CP_OK)
        cp_error_prefix(t->err,
                        "cannot attach to process %ld: ", (long)t->a->pid);
    return NULL;
}

/*
 * Runs on a new thread: when a tracing thread ends, the kernel detaches its
 * tracee.
 */
static enum cp_status try_on_new_thread(struct attempt *t, struct cp_error *err)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, try_thread, t) != 0)
        return cp_error_set(err, CP_ENOMEM,
                            "cannot create a thread: out of resources");
    (void)pthread_join(thread, NULL);
    return t->status;
}

/*
 * Tries the threads in turn and uses the first one that reaches a safe point.
 */
static enum cp_status attach_by_any(struct attempt *t,
                                    struct cp_safe_points *safe_points,
                                    struct cp_error *err)
{
    pid_t threads[MAX_THREADS];
    size_t n = cp_target_threads(t->a->pid, threads, MAX_THREADS);
    int each = n > 1 ? SAFE_POINT_TIMEOUT_MS / 4 : SAFE_POINT_TIMEOUT_MS,
        left = SAFE_POINT_TIMEOUT_MS;

    t->options.timeout_ms = each;
    t->options.call_at = find_syscall(t->a->pid);
    t->options.safe_points = t->options.call_at ? safe_points : NULL;
    for (size_t i = 0; i < n && left > 0; i++, left -= each) {
        enum cp_status status;

        t->options.tid = threads[i];
        status = try_on_new_thread(t, err);
        if (t->is_stopped || status == CP_EUSAGE || status == CP_ENOMEM)
            return status;
        if (t->begin_errno == EPERM)
            return explain_eperm(t->a->pid, err);
    }
    return cp_error_set(
        err, CP_EUSAGE,
        "cannot attach to process %ld: no thread reached a safe point "
        "within %d s; try again, or start it with cpprof run",
        (long)t->a->pid, SAFE_POINT_TIMEOUT_MS / 1000);
}

/*
 * Blocks all signals: if cpprof ended now, the stopped thread would keep
 * changed registers.
 */
static void block_signals(sigset_t *before)
{
    sigset_t all;

    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, before);
}

/* Stops a thread of the process at a safe point and makes it run the calls. */
static enum cp_status attach_inside(const struct cp_attach *a,
                                    char out_address[CP_ATTACH_ADDRESS],
                                    struct cp_error *err)
{
    struct attempt attempt = { .a = a, .out_address = out_address, .err = err };
    enum cp_status status;
    struct cp_safe_points *safe_points;
    sigset_t before;

    safe_points = cp_safe_point_new(a->pid, NULL);
    block_signals(&before);
    status = attach_by_any(&attempt, safe_points, err);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    cp_safe_point_free(safe_points);
    return status;
}

enum cp_status cp_attach(const struct cp_attach *a,
                         char out_address[CP_ATTACH_ADDRESS],
                         struct cp_error *err)
{
    struct cp_http_probe probe = { .owner = CP_HTTP_ANY_OWNER };
    enum cp_status status = cp_target_check(a->pid, a->library, err);

    if (status == CP_OK)
        status = attach_inside(a, out_address, err);
    if (status != CP_OK)
        return status;
    (void)cp_http_client_parse(&probe.to, out_address, NULL);
    cp_http_client_probe(&probe, 1, REACH_TIMEOUT_MS);
    if (probe.is_served)
        return CP_OK;
    (void)cp_attach_withdraw(a->pid, NULL);
    return cp_error_set(
        err, CP_EIO,
        "cannot attach to process %ld: its endpoint %s cannot be reached "
        "from here; use --listen=unix:/PATH",
        (long)a->pid, out_address);
}

/*
 * Ends the session: cpprof_attach() does that if the listen address is empty.
 */
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
    return attach_inside(&a, unused, err);
}

enum cp_status cp_attach_detach(const char *address, struct cp_error *err)
{
    struct cp_http_client_request request = { .method = "POST",
                                              .target = "/debug/pprof/detach",
                                              .timeout_ms = DETACH_TIMEOUT_MS,
                                              .out_fd = -1 };
    const struct timespec poll = { 0, POLL_NS };
    struct cp_http_probe probe = { .owner = CP_HTTP_ANY_OWNER };
    struct cp_http_reply reply;
    enum cp_status status = cp_http_client_parse(&probe.to, address, err);

    if (status == CP_OK) {
        request.token = cp_http_token_for(&probe.to);
        status = cp_http_client_send(&probe.to, &request, &reply, err);
    }
    if (status != CP_OK)
        return status;
    if (reply.status == 404)
        return cp_error_set(
            err, CP_EUSAGE,
            "cannot detach: no session of cpprof attach at %s; the program "
            "was started with the library",
            address);
    if (reply.status != 200)
        return cp_error_set(err, CP_EIO,
                            "cannot detach from %s: HTTP status %d: %s",
                            address, reply.status, reply.text);
    for (int i = 0; i < DETACH_TIMEOUT_MS * 1000000LL / POLL_NS; i++) {
        cp_http_client_probe(&probe, 1, SERVED_TIMEOUT_MS);
        if (!probe.is_served)
            return CP_OK;
        (void)nanosleep(&poll, NULL);
    }
    return cp_error_set(err, CP_EIO,
                        "cannot detach: %s is still open after %d s; try again",
                        address, DETACH_TIMEOUT_MS / 1000);
}
