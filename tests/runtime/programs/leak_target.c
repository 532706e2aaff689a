/*
 * leak_target - loses some blocks and keeps others, for tests/cli/heap.
 *
 * `leak_target OUT` writes the leak profile to OUT. Blocks from lost() have no
 * pointer left. The others have one: in data, in thread-local memory, on the
 * stack or in a register of a sleeping thread, in another block, or one that
 * points into the block. With PPROFLISTEN it serves until its input ends.
 */
#include <cpprof.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "keep.h"

#define N 100

struct node {
    struct node *next;
    char rest[100];
};

#define SITE(name)                                                             \
    KEEP static void *name(size_t size)                                        \
    {                                                                          \
        void *block = malloc(size);                                            \
                                                                               \
        if (!block)                                                            \
            abort();                                                           \
        *(volatile char *)block = 1;                                           \
        return block;                                                          \
    }

SITE(lost)
SITE(kept_global)
SITE(kept_inner)
SITE(kept_thread)
SITE(kept_list)
SITE(kept_stack)

static void *volatile global[N];
static char *volatile inner[N];
static _Thread_local void *own[N];
static struct node *volatile list;
static int ready[2], over[2];

/* Overwrites stale pointers on the stack. */
KEEP static void clear(void)
{
    volatile char bytes[65536];

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = 0;
}

static void *hold(void *arg)
{
    void *stack[N], *single = kept_stack(777);
    char byte = 0;

    for (size_t i = 0; i < N; i++) {
        own[i] = kept_thread(300);
        stack[i] = kept_stack(200);
    }
    clear();
    if (write(ready[1], &byte, 1) != 1 || read(over[0], &byte, 1) < 0)
        abort();
    for (size_t i = 0; i < N; i++) {
        free(own[i]);
        free(stack[i]);
    }
    free(single);
    return arg;
}

KEEP static void lose(void)
{
    for (size_t i = 0; i < 2 * N; i++)
        (void)lost(500);
}

static void keep(void)
{
    for (size_t i = 0; i < N; i++) {
        struct node *node = kept_list(sizeof(*node));

        global[i] = kept_global(400);
        inner[i] = (char *)kept_inner(600) + 250;
        node->next = list;
        list = node;
    }
}

int main(int argc, char **argv)
{
    pthread_t thread;
    char byte;
    int fd;

    if (argc != 2 || pipe(ready) != 0 || pipe(over) != 0)
        return 2;
    keep();
    lose();
    clear();
    if (pthread_create(&thread, NULL, hold, NULL) != 0 ||
        read(ready[0], &byte, 1) != 1)
        abort();
    fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || cpprof_write("leak", 0, fd) != 0) {
        fprintf(stderr, "leak_target: %s\n", cpprof_error());
        return 1;
    }
    (void)close(fd);
    if (cpprof_address()) {
        puts(cpprof_address());
        (void)fflush(stdout);
        while (read(STDIN_FILENO, &byte, 1) > 0)
            ;
    }
    (void)close(over[1]);
    (void)pthread_join(thread, NULL);
    return 0;
}
