/*
 * sessions.c - a memory leak, for docs/tutorial.md.
 *
 *     cc -g -O2 sessions.c -o sessions
 *
 * Handles ten thousand requests and then sleeps. It needs most of its memory
 * and has lost some. The program does not use the library.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_REQUESTS 10000
#define N_HISTORY 1000
#define SESSION_BYTES (16 * 1024)

static char *history[N_HISTORY];

static char *open_session(int user)
{
    char *session = malloc(SESSION_BYTES);

    if (session)
        memset(session, user, SESSION_BYTES);
    return session;
}

static int may_log_in(const char *session)
{
    return session && session[0] % 5 != 0;
}

/* Keeps the last results. */
static void remember(int i)
{
    char **place = &history[i % N_HISTORY];

    free(*place);
    *place = calloc(1, SESSION_BYTES);
}

static int log_in(int user)
{
    char *session = open_session(user);

    if (!may_log_in(session))
        return -1; /* the session is never freed */
    free(session);
    return 0;
}

int main(void)
{
    int n_refused = 0;

    for (int i = 0; i < N_REQUESTS; i++) {
        n_refused += log_in(i % 100) != 0;
        remember(i);
    }
    printf("%d requests, %d refused\n", N_REQUESTS, n_refused);
    fflush(stdout);
    pause();
    return 0;
}
