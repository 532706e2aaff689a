/*
 * test_no_memory - the library survives every single allocation failure.
 *
 * Each operation is repeated, and each time the next call of cp_alloc or mmap
 * fails, or all calls of mmap from one on. The operation may report an error or
 * do less. It must not crash, hang or leak memory (LeakSanitizer) or
 * descriptors (this test), and it must work again once memory is available.
 */
#include <cpprof.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "check.h"
#include "runtime/heap/heap.h"
#include "runtime/os/pages_alloc.h"
#include "runtime/process/record.h"
#include "runtime/process/registry.h"
#include "runtime/process/settings.h"
#include "runtime/threads/internal_thread.h"
#include "signal/heap/alloc_sampler.h"

#define MAX_BLOCKS 800
#define MAX_MAPS 8

/* ---- in place of pages_alloc.c, and of mmap ---- */

void cp_pages_set_limit(size_t limit_bytes)
{
    (void)limit_bytes;
}

void cp_pages_reserve(size_t bytes)
{
    (void)bytes;
}

bool cp_pages_charge(size_t bytes)
{
    return bytes > 0;
}

void cp_pages_uncharge(size_t bytes)
{
    (void)bytes;
}

size_t cp_pages_limit(void)
{
    return 0;
}

size_t cp_pages_bytes(void)
{
    return 0;
}

void cp_pages_before_fork(void)
{
}

void cp_pages_after_fork(void)
{
}

static _Atomic long maps_left; /* up to the one that fails; 0: none does */
static atomic_bool is_for_ever;

void *__real_mmap64(void *at, size_t len, int rights, int flags, int fd,
                    off_t from);
void *__wrap_mmap64(void *at, size_t len, int rights, int flags, int fd,
                    off_t from);

void *__wrap_mmap64(void *at, size_t len, int rights, int flags, int fd,
                    off_t from)
{
    long left = atomic_load(&maps_left);

    if (left > 1)
        (void)atomic_compare_exchange_strong(&maps_left, &left, left - 1);
    if (left != 1)
        return __real_mmap64(at, len, rights, flags, fd, from);
    if (!is_for_ever)
        atomic_store(&maps_left, 0);
    errno = ENOMEM;
    return MAP_FAILED;
}

/* ---- what is done ---- */

static int null_fd = -1;

static bool take(const char *kind)
{
    return cpprof_write(kind, 0.002, null_fd) == 0;
}

static bool cpu(void)
{
    return take("profile");
}

static bool wall(void)
{
    return take("wall");
}

static bool threads(void)
{
    return take("goroutine");
}

static bool block(void)
{
    return take("block");
}

static bool heap(void)
{
    return cpprof_write("heap", 0, null_fd) == 0;
}

/* The hooks of malloc are not in here: a block is said to be sampled. */
static const char *nobodys_malloc(void)
{
    return NULL;
}

static bool is_of_libc(void)
{
    return true;
}

/* Sanitizers have terabytes, which nobody can search. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool can_search = false;
#else
static const bool can_search = true;
#endif

static void *kept;

static void have_block(void)
{
    if (!can_search)
        return;
    cp_heap_set_hooks(nobodys_malloc, is_of_libc);
    CHECK(heap());
    kept = malloc(500);
    cp_alloc_record(kept, 500, (uintptr_t)have_block);
    CHECK(cp_alloc_may_be_sampled(kept));
}

static bool leak(void)
{
    return cpprof_write("leak", 0, null_fd) == 0;
}

static bool trace(void)
{
    cpprof_region_begin("here");
    cpprof_log("test", "there");
    cpprof_region_end("here");
    return take("trace");
}

static bool answer(const char *target)
{
    struct cpprof_request request = CPPROF_REQUEST_INIT;
    struct cpprof_response *r;
    bool is_good;

    request.method = "GET";
    request.target = target;
    r = cpprof_answer(&request);
    is_good = r && r->status == 200;
    cpprof_response_free(r);
    return is_good;
}

static bool chrome(void)
{
    return answer("/debug/pprof/trace?seconds=0.002&format=chrome");
}

static bool perfetto(void)
{
    return answer("/debug/pprof/trace?seconds=0.002&format=perfetto");
}

static bool gc(void)
{
    return answer("/debug/pprof/heap?gc=1");
}

/* Begins as `cpprof attach` does: the endpoint, its thread, the registry. */
static bool attach(void)
{
    char where[256];
    bool is_good = cpprof_attach("localhost:0", "", where, sizeof(where)) == 0;

    CHECK(where[0] != '\0'); /* it says where, or why not */
    return cpprof_close() == 0 && is_good;
}

static bool registry(void)
{
    (void)cp_registry_add("http://localhost:1/", "");
    cp_registry_remove();
    return true;
}

static bool custom(void)
{
    static struct cpprof_custom *custom;
    static const int value;

    if (!custom)
        custom = cpprof_custom_new("things");
    return custom && cpprof_custom_add(custom, &value) == 0 &&
           cpprof_custom_remove(custom, &value) == 0 && take("things");
}

static bool label(void)
{
    return cpprof_label_set("key", "value") == 0 &&
           cpprof_label_clear("key") == 0;
}

/* A process records once: so it is a child that does. */
static char file[] = "/tmp/test_no_memory.XXXXXX";

static bool record(void)
{
    static struct cp_settings settings;
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        cp_settings_init(&settings);
        (void)strcpy(settings.cpu_file, file);
        (void)strcpy(settings.heap_file, file);
        cp_record_start(&settings);
        cp_record_finish();
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    return unlink(file) == 0;
}

/*
 * A process that goes on without its main thread, beside threads of ours, ends
 * when it would have ended without us.
 */
static void *go_after_main(void *main_id)
{
    CHECK(pthread_join(*(pthread_t *)main_id, NULL) == 0);
    return NULL;
}

static void *go_at_once(void *unused)
{
    return unused;
}

static void end_main(void *(*other)(void *))
{
    static pthread_t self;
    pthread_t thread;

    self = pthread_self();
    (void)cpprof_attach("localhost:0", "", (char[256]){ 0 }, 256);
    CHECK(pthread_create(&thread, NULL, other, &self) == 0);
    pthread_exit(NULL);
}

/*
 * Asked by the leak sanitizer when a process ends: one without its main thread,
 * and with memory of its parent's threads, it cannot judge.
 */
static bool has_no_main;

int __lsan_is_turned_off(void);

__attribute__((visibility("default"))) int __lsan_is_turned_off(void)
{
    return has_no_main;
}

static bool ends_without_main(void *(*other)(void *))
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        has_no_main = true;
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* should it not end */
        (void)dup2(null_fd, STDOUT_FILENO);     /* what the test says at exit */
        end_main(other);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_INT(status, 0);
    return status == 0;
}

static bool main_end(void)
{
    return ends_without_main(go_after_main);
}

/* ---- failures ---- */

struct act {
    const char *name;
    bool (*run)(void);
};

static const struct act acts[] = {
    { "cpu", cpu },         { "wall", wall },
    { "threads", threads }, { "block", block },
    { "heap", heap },       { "leak", leak },
    { "gc", gc },           { "trace", trace },
    { "chrome", chrome },   { "perfetto", perfetto },
    { "attach", attach },   { "registry", registry },
    { "custom", custom },   { "label", label },
    { "record", record },   { "main_end", main_end },
};

#define N_ACTS (sizeof(acts) / sizeof(acts[0]))

/* All of the first, then fewer and fewer: what is late is mostly alike. */
static long next_round(long n)
{
    return n + 1 + n / 5;
}

static int n_open(void)
{
    int n = 0;

    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void lack_blocks(const struct act *act)
{
    int before = n_open();

    for (long n = 1; n < MAX_BLOCKS; n = next_round(n)) {
        cp_alloc_fail_at(n);
        (void)act->run();
        cp_alloc_fail_at(0);
    }
    CHECK(act->run());
    CHECK_INT(n_open(), before);
}

static void lack_maps(const struct act *act)
{
    int before = n_open();

    for (long n = 1; n < MAX_MAPS; n++) {
        atomic_store(&maps_left, n);
        (void)act->run();
        atomic_store(&maps_left, 0);
    }
    CHECK(act->run());
    CHECK_INT(n_open(), before);
}

static void test_blocks(void)
{
    for (size_t i = 0; i < N_ACTS; i++) {
        check_case(acts[i].name);
        lack_blocks(&acts[i]);
    }
}

static void test_maps(void)
{
    for (int forever = 0; forever < 2; forever++) {
        atomic_store(&is_for_ever, forever);
        for (size_t i = 0; i < N_ACTS; i++) {
            check_case(acts[i].name);
            lack_maps(&acts[i]);
        }
    }
}

static int n_makes; /* threads of ours that there may still be */

static int make_none(void *thread, const void *attr, void *(*run)(void *),
                     void *arg)
{
    return n_makes-- > 0 ? pthread_create(thread, attr, run, arg) : EAGAIN;
}

static void test_no_threads(void)
{
    for (n_makes = 0; n_makes < 3; n_makes++) {
        cp_internal_thread_set_creator(make_none);
        (void)ends_without_main(go_at_once);
        cp_internal_thread_set_creator(NULL);
    }
}

int main(void)
{
    null_fd = open("/dev/null", O_WRONLY);
    CHECK(mkstemp(file) >= 0);
    have_block();
    RUN(test_maps);
    RUN(test_blocks);
    RUN(test_no_threads);
    return check_failures != 0;
}
