/*
 * harm - things that memory hooks often break, for tests/cli/memory.
 *
 * `harm forks` forks while four threads allocate; the children allocate and
 * free what they inherited. `harm library FILE` loads and unloads a library
 * that allocates, and frees its blocks after that. `harm late` frees in
 * destructors and atexit functions. `harm even` frees all that it allocated,
 * also from other threads; the profile must show no live block. `harm grow`
 * allocates 64 blocks of a MB, prints a line, and waits for the end of its
 * input. `harm drip` prints a line, and until its input ends allocates blocks
 * that it keeps and blocks that it frees. `harm maps` calls mmap.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noipa))
#define SLOTS 256

static void *_Atomic shared[SLOTS];
static _Atomic int is_over;
static void *late;

KEEP void *site(size_t size)
{
    return malloc(size);
}

static void *churn(void *arg)
{
    unsigned n = (unsigned)(size_t)arg;

    for (unsigned i = 0; !atomic_load(&is_over) && i < 50000; i++) {
        n = n * 1664525u + 1013904223u;
        free(atomic_exchange(&shared[n >> 24], site(n >> 20)));
        if (n % 64 == 0) {
            void *block = realloc(site(10), n >> 18);

            free(realloc(block, 20));
        }
    }
    return NULL;
}

static void start(pthread_t threads[4])
{
    for (size_t i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, churn, (void *)(i + 1)) != 0)
            abort();
}

static void end(pthread_t threads[4])
{
    for (size_t i = 0; i < 4; i++)
        (void)pthread_join(threads[i], NULL);
    for (size_t i = 0; i < SLOTS; i++)
        free(atomic_exchange(&shared[i], NULL));
}

static int in_child(void)
{
    for (size_t i = 0; i < SLOTS; i++)
        free(atomic_exchange(&shared[i], site(i * 50)));
    return 0;
}

static void forks(void)
{
    pthread_t threads[4];

    start(threads);
    for (int i = 0; i < 100; i++) {
        int status = 1;
        pid_t child = fork();

        if (child == 0)
            _exit(in_child());
        if (waitpid(child, &status, 0) != child || status != 0)
            abort();
    }
    atomic_store(&is_over, 1);
    end(threads);
}

static void library(const char *path)
{
    for (int i = 0; i < 200; i++) {
        void *handle = dlopen(path, RTLD_NOW);
        void *(*take)(size_t) = NULL, *block;

        if (!handle)
            abort();
        *(void **)&take = dlsym(handle, "plugin_take");
        block = take(1000);
        (void)dlclose(handle);
        free(block);
    }
}

static void at_exit(void)
{
    free(late);
    late = malloc(500);
}

__attribute__((destructor)) static void at_end(void)
{
    free(late);
    free(malloc(100));
}

static void even(void)
{
    pthread_t threads[4];

    start(threads);
    end(threads);
}

static void grow(void)
{
    void *blocks[64];
    char byte;

    for (size_t i = 0; i < 64; i++) {
        blocks[i] = site((size_t)1 << 20);
        memset(blocks[i], 1, (size_t)1 << 20);
    }
    puts("grown");
    (void)fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
    for (size_t i = 0; i < 64; i++)
        free(blocks[i]);
}

KEEP void *mapped(size_t size)
{
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                -1, 0);
}

/* Makes ten mappings, unmaps five and enlarges two. */
static void maps(void)
{
    const size_t size = (size_t)1 << 20;

    for (int i = 0; i < 10; i++) {
        void *block = mapped(size);

        if (i % 2)
            (void)munmap(block, size);
        else if (i < 4)
            (void)mremap(block, size, 4 * size, MREMAP_MAYMOVE);
    }
}

KEEP void *kept(void)
{
    return malloc(1000);
}

KEEP void *given(void)
{
    return malloc(2000);
}

static void drip(void)
{
    struct pollfd input = { STDIN_FILENO, POLLIN, 0 };
    void **list = NULL;

    while (poll(&input, 1, 1) == 0) {
        void **block = kept();

        *block = list;
        list = block;
        free(given());
    }
    while (list) {
        void **next = *list;

        free(list);
        list = next;
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    if (strcmp(what, "forks") == 0)
        forks();
    else if (strcmp(what, "library") == 0 && argc > 2)
        library(argv[2]);
    else if (strcmp(what, "late") == 0)
        late = malloc(500);
    else if (strcmp(what, "even") == 0)
        even();
    else if (strcmp(what, "grow") == 0)
        grow();
    else if (strcmp(what, "maps") == 0)
        maps();
    else if (strcmp(what, "drip") == 0)
        drip();
    else
        return 2;
    if (late && atexit(at_exit) != 0)
        return 1;
    puts("done");
    return 0;
}
