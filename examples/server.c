/*
 * server.c - a small server for `make demo` that counts words.
 *
 *     ./server PORT       answers lines "count TEXT" and "primes N"
 *
 * The program does not use the library. Each connection has a thread; they
 * share a lock; memory grows. `make demo` profiles all three.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TABLE 4096
#define MAX_LINE 4096

struct word {
    char *text;
    unsigned long n;
    struct word *next;
};

static struct word *table[TABLE];
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned hash_word(const char *word)
{
    unsigned h = 5381;

    for (; *word; word++)
        h = h * 33 ^ (unsigned char)*word;
    return h % TABLE;
}

static struct word *find_word(const char *text)
{
    struct word **at = &table[hash_word(text)];

    while (*at && strcmp((*at)->text, text) != 0)
        at = &(*at)->next;
    if (!*at) {
        *at = calloc(1, sizeof(**at));
        if (*at)
            (*at)->text = strdup(text);
    }
    return *at;
}

static unsigned long count_words(char *text)
{
    unsigned long n = 0;
    char *rest = NULL;

    for (char *word = strtok_r(text, " \r\n", &rest); word;
         word = strtok_r(NULL, " \r\n", &rest)) {
        struct word *found;

        pthread_mutex_lock(&table_lock);
        found = find_word(word);
        if (found)
            n += ++found->n;
        pthread_mutex_unlock(&table_lock);
    }
    return n;
}

static int is_prime(unsigned long n)
{
    for (unsigned long i = 2; i * i <= n; i++)
        if (n % i == 0)
            return 0;
    return n > 1;
}

static unsigned long count_primes(unsigned long below)
{
    unsigned long n = 0;

    for (unsigned long i = 0; i < below; i++)
        n += (unsigned long)is_prime(i);
    return n;
}

static unsigned long answer(char *line)
{
    if (strncmp(line, "primes ", 7) == 0)
        return count_primes(strtoul(line + 7, NULL, 10));
    if (strncmp(line, "count ", 6) == 0)
        return count_words(line + 6);
    return 0;
}

static void *serve(void *arg)
{
    FILE *client = arg;
    char line[MAX_LINE];

    while (fgets(line, sizeof(line), client)) {
        (void)fprintf(client, "%lu\n", answer(line));
        (void)fflush(client);
    }
    (void)fclose(client);
    return NULL;
}

static void welcome(int fd)
{
    FILE *client = fdopen(fd, "r+");
    pthread_t thread;

    if (client && pthread_create(&thread, NULL, serve, client) == 0)
        (void)pthread_detach(thread);
    else
        (void)close(fd);
}

int main(int argc, char **argv)
{
    struct sockaddr_in here = { .sin_family = AF_INET };
    int port = argc > 1 ? atoi(argv[1]) : 0, on = 1;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    here.sin_port = htons((unsigned short)port);
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, (struct sockaddr *)&here, sizeof(here)) || listen(fd, 64)) {
        perror("server");
        return 1;
    }
    for (;;) {
        int client = accept(fd, NULL, NULL);

        if (client >= 0)
            welcome(client);
    }
}
