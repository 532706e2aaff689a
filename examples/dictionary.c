/*
 * dictionary.c - a hot spot, for docs/tutorial.md.
 *
 *     cc -g -O2 dictionary.c -o dictionary            # a list
 *     cc -g -O2 -DHASHED dictionary.c -o dictionary2  # a table of lists
 *
 * Looks up words until it is stopped. The program does not use the library.
 */
#include <stdio.h>
#include <stdlib.h>

#define N_WORDS 2000

#ifdef HASHED
#define N_LISTS 4096
#else
#define N_LISTS 1
#endif

struct entry {
    char word[16];
    unsigned long n;
    struct entry *next;
};

static struct entry *lists[N_LISTS];

static unsigned hash(const char *word)
{
    unsigned h = 5381;

    for (; *word; word++)
        h = h * 33 ^ (unsigned char)*word;
    return h;
}

static int is_same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static struct entry *find(const char *word)
{
    struct entry *e = lists[N_LISTS > 1 ? hash(word) % N_LISTS : 0];

    while (e && !is_same(e->word, word))
        e = e->next;
    return e;
}

static void add(const char *word)
{
    struct entry **list = &lists[N_LISTS > 1 ? hash(word) % N_LISTS : 0];
    struct entry *e = calloc(1, sizeof(*e));

    if (!e)
        return;
    snprintf(e->word, sizeof(e->word), "%s", word);
    e->next = *list;
    *list = e;
}

static void count(const char *word)
{
    struct entry *e = find(word);

    if (e)
        e->n++;
}

static void read_text(unsigned long n)
{
    char word[16];

    for (unsigned long i = 0; i < n; i++) {
        snprintf(word, sizeof(word), "word%lu", i * 7919 % N_WORDS);
        count(word);
    }
}

int main(void)
{
    char word[16];

    for (int i = 0; i < N_WORDS; i++) {
        snprintf(word, sizeof(word), "word%d", i);
        add(word);
    }
    for (;;)
        read_text(100000);
}
