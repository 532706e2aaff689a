/* test_api.c - include/cpprof.h with wrong sizes, invalid and NULL values. */
#include <cpprof.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* The contents of a memfd; free() it. */
static char *contents(int fd, size_t *len)
{
    off_t n = lseek(fd, 0, SEEK_END);
    char *text = calloc(1, (size_t)n + 1);

    CHECK(pread(fd, text, (size_t)n, 0) == n);
    *len = (size_t)n;
    return text;
}

static const char *header(const struct cpprof_response *r, const char *name)
{
    for (size_t i = 0; i < r->n_headers; i++)
        if (strcmp(r->headers[i].name, name) == 0)
            return r->headers[i].value;
    return NULL;
}

static void test_answer(void)
{
    struct cpprof_request request = CPPROF_REQUEST_INIT;
    struct cpprof_response *r;

    request.method = "GET";
    request.target = "/debug/pprof/goroutine?debug=1";
    r = cpprof_answer(&request);
    if (!CHECK(r != NULL))
        return;
    CHECK_INT(r->size, sizeof(*r));
    CHECK_INT(r->status, 200);
    CHECK_STR(header(r, "Content-Type"), "text/plain; charset=utf-8");
    CHECK(!header(r, "Content-Length") && !header(r, "Connection"));
    CHECK(strncmp(r->body, "goroutine profile: total 1\n", 27) == 0);
    CHECK_INT(((const char *)r->body)[r->body_len - 1], '\n');
    cpprof_response_free(r);
    request.target = "/debug/pprof/nonsense";
    r = cpprof_answer(&request);
    if (CHECK(r != NULL))
        CHECK_INT(r->status, 404);
    cpprof_response_free(r);
    cpprof_response_free(NULL);
}

/* The program may have a shorter or longer struct than the library. */
static void test_sizes(void)
{
    struct {
        struct cpprof_options options;
        int from_the_future;
    } newer = { CPPROF_OPTIONS_INIT, 0 };
    struct cpprof_request empty = { 0 };
    int fd = memfd_create("profile", 0);

    newer.options.size = sizeof(newer);
    CHECK_INT(cpprof_write_with("heap", 0, &newer.options, fd), 0);
    newer.from_the_future = 1;
    CHECK_INT(cpprof_write_with("heap", 0, &newer.options, fd), -1);
    CHECK_STR(
        cpprof_error(),
        "the program sets a field that this version of libcpprof does not "
        "know; update the library");
    newer.options.size = 0;
    CHECK_INT(cpprof_write_with("heap", 0, &newer.options, fd), -1);
    CHECK_STR(
        cpprof_error(),
        "invalid size field; initialise the struct with its CPPROF_..._INIT "
        "macro");
    CHECK(!cpprof_answer(&empty));
    CHECK_STR(
        cpprof_error(),
        "invalid size field; initialise the struct with its CPPROF_..._INIT "
        "macro");
    CHECK(!cpprof_answer(NULL));
    empty.size = sizeof(empty);
    CHECK(!cpprof_answer(&empty));
    CHECK_STR(cpprof_error(),
              "cannot answer: method and target must be non-empty texts "
              "without blanks, as in GET /debug/pprof/");
    (void)close(fd);
}

static void test_options(void)
{
    struct cpprof_options options = CPPROF_OPTIONS_INIT;
    int fd = memfd_create("profile", 0);
    size_t len;
    char *text;

    options.debug = 1;
    CHECK_INT(cpprof_write_with("threads", 0, &options, fd), 0);
    text = contents(fd, &len);
    CHECK(strncmp(text, "goroutine profile: total 1\n", 27) == 0);
    CHECK(strstr(text, "test_options"));
    free(text);
    (void)close(fd);
    options.flags = 1u << 31;
    CHECK(!cpprof_start_with("heap", &options));
    CHECK_STR(cpprof_error(),
              "unknown flags 0x80000000; use CPPROF_NO_SYMBOLS or CPPROF_GC");
    options.flags = CPPROF_NO_SYMBOLS | CPPROF_GC;
    options.hz = 100000;
    CHECK(!cpprof_start_with("profile", &options));
    CHECK_STR(cpprof_error(), "invalid hz; the maximum is 10000");
    options.hz = 50;
    options.debug = 0;
    CHECK_INT(cpprof_stop(cpprof_start_with("profile", &options), -1), 0);
}

static void test_nonsense(void)
{
    CHECK(!cpprof_start("nonsense"));
    CHECK_STR(cpprof_error(),
              "unknown profile \"nonsense\"; cpprof.h lists the kinds");
    CHECK(!cpprof_start(NULL));
    CHECK_INT(cpprof_write("profile", 0, 1), -1);
    CHECK_STR(
        cpprof_error(),
        "invalid seconds; use 0 to 86400, and more than 0 for profile, wall "
        "and trace");
    CHECK_INT(cpprof_write("heap", -1, 1), -1);
    CHECK_INT(cpprof_write(NULL, 0, 1), -1);
    CHECK_INT(cpprof_write("heap", 0, 4096), -1);
    CHECK_INT(cpprof_stop(NULL, 1), -1);
    CHECK_INT(cpprof_handle(NULL, NULL, NULL, 0, 1), -1);
    CHECK_INT(cpprof_listen(NULL), -1);
    CHECK_INT(cpprof_listen("no address at all"), -1);
    CHECK(!cpprof_address());
    CHECK_STR(cpprof_version(), CPPROF_VERSION);
}

/* NULL texts of a trace are empty. */
static void test_null_texts(void)
{
    struct cpprof_profile *trace = cpprof_start("trace");

    CHECK(trace != NULL);
    cpprof_region_begin(NULL);
    cpprof_log(NULL, NULL);
    cpprof_region_end(NULL);
    CHECK_INT(cpprof_stop(trace, -1), 0);
}

/* The drain thread of a trace does not exist in the child of a fork. */
static void test_trace_in_child(void)
{
    struct cpprof_profile *trace = cpprof_start("trace");
    int status = -1;
    pid_t child;

    CHECK(trace != NULL);
    child = fork();
    if (child == 0)
        _exit(cpprof_stop(trace, 1) == -1 &&
                      strstr(cpprof_error(), "the parent process started it")
                  ? 7
                  : 1);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    CHECK_INT(cpprof_stop(trace, -1), 0);
}

/* A custom profile, served by the HTTP server of the program. */
static void test_custom(void)
{
    struct cpprof_custom *custom = cpprof_custom_new("things");
    struct cpprof_request request = CPPROF_REQUEST_INIT;
    struct cpprof_response *r;
    int things[2];

    CHECK(!cpprof_custom_new("things"));
    CHECK(!cpprof_custom_new("no blanks"));
    CHECK(!cpprof_custom_new(NULL));
    CHECK_INT(cpprof_custom_add(custom, &things[0]), 0);
    CHECK_INT(cpprof_custom_add(custom, &things[1]), 0);
    CHECK_INT(cpprof_custom_add(custom, &things[1]), -1);
    CHECK_INT(cpprof_custom_remove(custom, &things[0]), 0);
    CHECK_INT(cpprof_custom_remove(custom, &things[0]), -1);
    CHECK_INT(cpprof_custom_add(NULL, &things[0]), -1);
    CHECK_INT(cpprof_custom_remove(NULL, &things[0]), -1);
    request.method = "GET";
    request.target = "/debug/pprof/things?debug=1";
    r = cpprof_answer(&request);
    if (CHECK(r != NULL))
        CHECK(strncmp(r->body, "things profile: total 1\n", 24) == 0);
    cpprof_response_free(r);
}

static void test_labels(void)
{
    unsigned before = cpprof_labels_get();

    CHECK_INT(cpprof_label_set("route", "/search"), 0);
    CHECK(cpprof_labels_get() != before);
    cpprof_labels_put(before);
    CHECK_INT(cpprof_labels_get(), before);
    CHECK_INT(cpprof_label_set("route", NULL), 0);
    CHECK_INT(cpprof_label_clear("route"), 0);
    CHECK_INT(cpprof_label_clear("never set"), 0);
    CHECK_INT(cpprof_label_set(NULL, "x"), -1);
    CHECK_STR(cpprof_error(), "label key is NULL");
    CHECK_INT(cpprof_labels_get(), before);
}

/*
 * Nothing interrupts the handler, not even what libc cancels threads with (32)
 * and sets user ids by (33), which sigfillset leaves out.
 */
static void test_handler_mask(void)
{
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        uint64_t mask;
    } kernel = { 0 };
    struct cpprof_profile *p = cpprof_start("profile");

    CHECK(p != NULL);
    CHECK(syscall(SYS_rt_sigaction, SIGPROF, NULL, &kernel, 8) == 0);
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    CHECK_INT(kernel.mask >> 31 & 3, 3);
#endif
    CHECK(cpprof_stop(p, -1) == 0);
}

int main(void)
{
    RUN(test_answer);
    RUN(test_sizes);
    RUN(test_options);
    RUN(test_nonsense);
    RUN(test_null_texts);
    RUN(test_trace_in_child);
    RUN(test_custom);
    RUN(test_labels);
    RUN(test_handler_mask);
    return check_failures != 0;
}
