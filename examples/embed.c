/*
 * embed.c - a program that profiles itself.
 *
 *     cc -g -O2 embed.c $(pkg-config --cflags --libs cpprof) -o embed
 *     ./embed
 *     pprof -top cpu.pb.gz
 *     pprof -top heap.pb.gz
 *
 * It listens on a free port, profiles a part of its work into a file, and
 * writes a heap profile.
 */
#include <cpprof.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define N_TABLES 64
#define TABLE_BYTES (1 << 20)

static unsigned long checksum(const unsigned char *bytes, size_t n)
{
    unsigned long sum = 5381;

    for (size_t i = 0; i < n; i++)
        sum = sum * 33 ^ bytes[i];
    return sum;
}

static unsigned char *make_table(void)
{
    unsigned char *table = malloc(TABLE_BYTES);

    for (size_t i = 0; table && i < TABLE_BYTES; i++)
        table[i] = (unsigned char)(i * i >> 7);
    return table;
}

/* Half a second of processor time. */
static unsigned long work(unsigned char **tables)
{
    clock_t until = clock() + CLOCKS_PER_SEC / 2;
    unsigned long sum = 0;

    for (int i = 0; clock() < until; i = (i + 1) % N_TABLES)
        if (tables[i])
            sum += checksum(tables[i], TABLE_BYTES);
    return sum;
}

static int create(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
}

int main(void)
{
    unsigned char *tables[N_TABLES];
    struct cpprof_profile *profile;
    int cpu = create("cpu.pb.gz"), heap = create("heap.pb.gz");
    unsigned long sum;

    if (cpprof_listen("localhost:0") == 0)
        printf("profiles at %s\n", cpprof_address());
    else
        printf("no profiles: %s\n", cpprof_error());

    for (int i = 0; i < N_TABLES; i++)
        tables[i] = make_table();

    profile = cpprof_start("profile");
    sum = work(tables);
    if (cpprof_stop(profile, cpu) != 0 || cpprof_write("heap", 0, heap) != 0)
        printf("not written: %s\n", cpprof_error());
    else
        printf("wrote cpu.pb.gz and heap.pb.gz\n");

    printf("the sum is %s\n", sum ? "something" : "nothing");
    for (int i = 0; i < N_TABLES; i++)
        free(tables[i]);
    return close(cpu) || close(heap);
}
