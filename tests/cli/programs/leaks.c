/*
 * leaks - the ways in which programs lose memory, for tests/cli/leaks.
 *
 * Blocks of lost_NAME() are unreachable, those of kept_NAME() reachable. Blocks
 * of hidden_NAME() are unreachable too, but stale copies of their addresses are
 * in unused memory, where the search must not read them. Prints "ready" and
 * waits for the end of its input; then it calls exit, where LeakSanitizer
 * searches.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))
#define N 20

struct node {
    struct node *next, *left, *right;
    char text[100];
};

struct owner {
    char *name;
    struct node *nodes;
};

struct item {
    long id, kind;
    char *text; /* past the bytes that glibc overwrites in a freed block */
};

#define SITE(name)                                                             \
    KEEP static void *name(size_t size)                                        \
    {                                                                          \
        void *block = malloc(size);                                            \
                                                                               \
        __asm__ volatile("" : "+r"(block) : : "memory");                       \
        if (!block)                                                            \
            abort();                                                           \
        memset(block, 0, size);                                                \
        return block;                                                          \
    }

SITE(lost_returned)
SITE(lost_overwritten)
SITE(kept_overwriter)
SITE(lost_list)
SITE(kept_list)
SITE(lost_ring)
SITE(kept_ring)
SITE(lost_tree)
SITE(lost_member)
SITE(lost_rows)
SITE(hidden_in_freed)
SITE(hidden_in_small)
SITE(hidden_in_small_of_thread)
SITE(lost_by_thread)
SITE(hidden_in_tls)
SITE(lost_in_cleared)
SITE(kept_inner)
SITE(kept_chain)
SITE(lost_large)

KEEP static void *lost_calloc(void)
{
    return calloc(10, 30);
}

KEEP static void *lost_aligned(void)
{
    void *block = NULL;

    return posix_memalign(&block, 256, 700) == 0 ? block : NULL;
}

KEEP static void *lost_strdup(void)
{
    return strdup("a text that the program never frees, of some length");
}

KEEP static void *lost_realloc(void)
{
    return realloc(malloc(10), 3000);
}

static void *volatile global;
static void *volatile table[N];
static char *volatile inner[N];
static struct node *volatile list, *volatile ring, *volatile chain;
static _Thread_local void *volatile own;

static struct node *make_list(void *(*site)(size_t), size_t n)
{
    struct node *head = NULL;

    for (size_t i = 0; i < n; i++) {
        struct node *node = site(sizeof(*node));

        node->next = head;
        head = node;
    }
    return head;
}

static struct node *make_ring(void *(*site)(size_t), size_t n)
{
    struct node *head = make_list(site, n), *last = head;

    while (last->next)
        last = last->next;
    last->next = head;
    return head;
}

static struct node *make_tree(int depth)
{
    struct node *node = lost_tree(sizeof(*node));

    if (depth > 0) {
        node->left = make_tree(depth - 1);
        node->right = make_tree(depth - 1);
    }
    return node;
}

static void lose_parts(void)
{
    struct owner *owner = malloc(sizeof(*owner));
    void **rows = malloc(N * sizeof(*rows));

    owner->name = lost_member(77);
    for (size_t i = 0; i < N; i++)
        rows[i] = lost_rows(400);
    explicit_bzero(owner, sizeof(*owner));
    explicit_bzero(rows, N * sizeof(*rows));
    free(owner);
    free(rows);
}

/* The same, but free does not overwrite the block. */
static void hide_parts(void)
{
    void *volatile *rows = malloc(10 * N * sizeof(*rows));

    for (size_t i = 0; i < 10 * N; i++)
        rows[i] = hidden_in_freed(400);
    free((void *)rows);
}

/* Overwrites stale pointers on the stack. */
KEEP static void clear(void)
{
    volatile char bytes[65536];

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = 0;
}

/* One block; glibc keeps it in the tcache. */
KEEP static void hide_text(void *(*site)(size_t))
{
    struct item *item = malloc(sizeof(*item));

    item->text = site(300);
    __asm__ volatile("" : : "r"(item) : "memory");
    free(item);
}

static sem_t sleeps;

static void *sleep_on(void *arg)
{
    hide_text(hidden_in_small_of_thread);
    clear();
    (void)sem_post(&sleeps);
    for (;;)
        (void)pause();
    return arg;
}

static void *run_thread(void *arg)
{
    for (size_t i = 0; i < N; i++)
        (void)lost_by_thread(250);
    own = hidden_in_tls(900);
    return arg;
}

KEEP static void lose(void)
{
    for (size_t i = 0; i < N; i++) {
        (void)lost_returned(500);
        (void)lost_calloc();
        (void)lost_aligned();
        (void)lost_strdup();
        (void)lost_realloc();
        global = lost_overwritten(60);
        table[i] = lost_in_cleared(120);
        table[i] = NULL;
    }
    global = kept_overwriter(60);
    (void)lost_large((size_t)1 << 20);
    (void)make_list(lost_list, N);
    (void)make_ring(lost_ring, N);
    (void)make_tree(4);
    lose_parts();
    hide_parts();
}

KEEP static void keep(void)
{
    list = make_list(kept_list, N);
    ring = make_ring(kept_ring, N);
    chain = kept_chain(sizeof(*chain));
    for (size_t i = 0; i < N; i++)
        inner[i] = (char *)kept_inner(600) + 300;
}

/* Reserves memory that may be used later, as databases and sanitizers do. */
static int reserve(void)
{
    return mmap(NULL, (size_t)64 << 30, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                0) != MAP_FAILED;
}

int main(void)
{
    pthread_t thread;
    char byte;

    if (!reserve())
        fputs("leaks: no address space\n", stderr);
    if (sem_init(&sleeps, 0, 0) != 0 ||
        pthread_create(&thread, NULL, sleep_on, NULL) != 0)
        return 2;
    (void)sem_wait(&sleeps);
    hide_text(hidden_in_small);
    keep();
    lose();
    clear();
    if (pthread_create(&thread, NULL, run_thread, NULL) != 0)
        return 2;
    (void)pthread_join(thread, NULL);
    clear();
    puts("ready");
    (void)fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
    return 0;
}
