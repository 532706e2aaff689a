/*
 * connections.c - a custom profile: open connections.
 *
 *     cc -g -O2 connections.c $(pkg-config --cflags --libs cpprof) -o
 * connections
 *     ./connections
 *
 * A custom profile counts objects like memory: the program adds an object with
 * the current stack when it opens it, and removes it when it closes it. The
 * endpoint serves it at /debug/pprof/connections; this program prints it.
 */
#include <cpprof.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct connection {
    int number;
};

static struct cpprof_custom *connections;

static struct connection *connect_to(int number)
{
    struct connection *c = malloc(sizeof(*c));

    if (c) {
        c->number = number;
        cpprof_custom_add(connections, c);
    }
    return c;
}

static void disconnect(struct connection *c)
{
    cpprof_custom_remove(connections, c);
    free(c);
}

/* Closes its connection. */
static void ask_database(int number)
{
    disconnect(connect_to(number));
}

/* Forgets to close its connection. */
static void send_mail(int number)
{
    struct connection *c = connect_to(number);

    if (c && number % 2 == 0)
        disconnect(c);
}

int main(void)
{
    struct cpprof_options as_text = CPPROF_OPTIONS_INIT;

    connections = cpprof_custom_new("connections");
    if (!connections) {
        fprintf(stderr, "connections: %s\n", cpprof_error());
        return 1;
    }
    for (int i = 0; i < 10; i++) {
        ask_database(i);
        send_mail(i);
    }
    as_text.debug = 1;
    return cpprof_write_with("connections", 0, &as_text, STDOUT_FILENO) != 0;
}
