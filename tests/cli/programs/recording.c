/*
 * recording - things that hooks break while they record, for
 * tests/cli/recording.
 *
 *     recording forks N      a signal handler forks N times, also inside the
 *                            loader and malloc; some children return from it
 *     recording filter       a seccomp filter kills on open(); then a thread
 *                            starts
 *     recording strict       strict seccomp, which allows few system calls
 *     recording attach       a start on an address that cannot be used
 *     recording child FILE   the forked child of a program with threads starts
 *                            one, loads a library and writes a heap profile
 *     recording children N   forks N children that exit at once
 *     recording sizes FILE   frees blocks that are a little smaller than those
 *                            that it keeps
 *
 * The environment variable PLUGIN names the library to load.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEPT 300000

static void *volatile kept;
static volatile int n_forks, n_bad, is_child, is_loading;

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);

    if (!found) {
        fprintf(stderr, "no %s\n", name);
        exit(3);
    }
    return found;
}

static void write_profile(const char *kind, double seconds, int fd)
{
    int (*write_it)(const char *, double, int);
    void *found = symbol(RTLD_DEFAULT, "cpprof_write");

    memcpy(&write_it, &found, sizeof(write_it));
    if (write_it(kind, seconds, fd) != 0)
        exit(4);
}

/* Allocates n blocks in the plugin, which stays loaded. */
static void make(int n, size_t size)
{
    void *library = dlopen(getenv("PLUGIN"), RTLD_NOW);
    void *found = symbol(library, "plugin_make");
    void *(*call)(size_t);

    memcpy(&call, &found, sizeof(call));
    for (int i = 0; i < n; i++)
        kept = call(size);
}

static int n_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    int n = -2;

    while (readdir(folder))
        n++;
    closedir(folder);
    return n;
}

static void *nap(void *arg)
{
    for (;;)
        pause();
    return arg;
}

/*
 * Every fourth child returns to the interrupted code, but not into the loader:
 * that reads a file whose offset parent and child share.
 */
static void fork_in_handler(int sig)
{
    int status = 0;
    pid_t child;

    (void)sig;
    if (is_child)
        return;
    child = fork();
    if (child == 0) {
        if (n_forks % 4 != 0 || is_loading)
            _exit(0);
        is_child = 1;
        return;
    }
    if (waitpid(child, &status, 0) != child || status != 0)
        n_bad++;
    n_forks++;
}

static __attribute__((noinline)) int descend(int depth)
{
    int n = 1;

    for (int i = 0; depth == 0 && i < 50; i++) {
        kept = malloc(10);
        free(kept);
    }
    if (depth > 0)
        n += descend(depth - 1);
    __asm__ volatile("" ::"r"(n) : "memory");
    return n;
}

static void run_forks(int wanted)
{
    struct itimerval often = { { 0, 3000 }, { 0, 3000 } };

    signal(SIGALRM, fork_in_handler);
    setitimer(ITIMER_REAL, &often, NULL);
    while (n_forks < wanted && !is_child) {
        void *library;

        is_loading = 1;
        library = dlopen(getenv("PLUGIN"), RTLD_NOW);
        is_loading = 0;
        (void)descend(60);
        is_loading = 1;
        (void)dlclose(library);
        is_loading = 0;
    }
    if (is_child)
        _exit(0);
    printf("bad %d\n", n_bad);
    fflush(stdout);
    _exit(0);
}

static void *end(void *arg)
{
    return arg;
}

static void run_filter(int is_strict)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
    };
    struct sock_fprog filter = { 4, code };
    void *library = dlopen(getenv("PLUGIN"), RTLD_NOW);
    void *found = symbol(library, "plugin_make");
    void *(*call)(size_t);
    pthread_t thread;

    memcpy(&call, &found, sizeof(call));
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP,
              is_strict ? SECCOMP_MODE_STRICT : SECCOMP_MODE_FILTER,
              &filter) != 0)
        _exit(5);
    for (int i = 0; i < 100; i++)
        kept = call(100);
    if (!is_strict && (pthread_create(&thread, NULL, end, NULL) != 0 ||
                       pthread_join(thread, NULL) != 0))
        syscall(SYS_exit, 8);
    if (write(1, "lives\n", 6) != 6)
        syscall(SYS_exit, 6);
    syscall(SYS_exit, 0);
}

static void run_children(int wanted)
{
    for (int i = 0; i < wanted; i++) {
        pid_t child = fork();
        int status = 0;

        if (child == 0)
            _exit(0);
        if (waitpid(child, &status, 0) != child || status != 0)
            n_bad++;
    }
    printf("bad %d\n", n_bad);
    fflush(stdout);
    _exit(0);
}

static void run_attach(void)
{
    int (*attach)(const char *, const char *, char *, size_t);
    void *found = symbol(RTLD_DEFAULT, "cpprof_attach");
    char said[512];
    int before = n_threads(), result;

    memcpy(&attach, &found, sizeof(attach));
    result = attach("unix:/nowhere/at/all", "", said, sizeof(said));
    printf("attach %d %s\n", result, said);
    while (n_threads() > before) /* it may be exiting */
        (void)usleep(1000);
    printf("threads %d\n", n_threads() - before);
}

static void run_child(const char *file)
{
    pthread_t thread;
    int status;
    pid_t child;

    pthread_create(&thread, NULL, nap, NULL);
    child = fork();
    if (child == 0) {
        pthread_create(&thread, NULL, nap, NULL);
        make(10, 1000);
        while (n_threads() < 3)
            (void)usleep(1000);
        write_profile("profile", 0.01,
                      open("/dev/null", O_WRONLY)); /* refreshes the code map */
        make(1000, 1000);
        write_profile("heap", 0,
                      open(file, O_CREAT | O_WRONLY | O_TRUNC, 0600));
        _exit(0);
    }
    if (waitpid(child, &status, 0) != child || status != 0)
        _exit(7);
    _exit(0);
}

static __attribute__((noinline)) void *get(size_t size)
{
    void *block = malloc(size);

    __asm__ volatile("" ::"r"(block) : "memory");
    return block;
}

/* Frees nine blocks for each that it keeps; all have the same stack and size
 * class. */
static void run_sizes(const char *file)
{
    volatile size_t sizes[2] = {
        1087, 1024
    }; /* both sizes have the same call site */

    for (int i = 0; i < 10 * KEPT; i++) {
        void *block = get(sizes[i % 10 != 0]);

        if (i % 10 != 0)
            free(block);
        else
            kept = block;
    }
    write_profile("heap", 0, open(file, O_CREAT | O_WRONLY | O_TRUNC, 0600));
    printf("kept %d\n", KEPT);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "", *more = argc > 2 ? argv[2] : "";

    if (strcmp(mode, "forks") == 0)
        run_forks(atoi(more));
    else if (strcmp(mode, "filter") == 0 || strcmp(mode, "strict") == 0)
        run_filter(mode[0] == 's');
    else if (strcmp(mode, "attach") == 0)
        run_attach();
    else if (strcmp(mode, "child") == 0)
        run_child(more);
    else if (strcmp(mode, "children") == 0)
        run_children(atoi(more));
    else if (strcmp(mode, "sizes") == 0)
        run_sizes(more);
    else
        return 2;
    return 0;
}
