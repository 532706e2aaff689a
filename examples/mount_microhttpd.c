/*
 * mount_microhttpd.c - profiles inside a server on libmicrohttpd.
 *
 *     cc -g -O2 mount_microhttpd.c \
 *         $(pkg-config --cflags --libs cpprof libmicrohttpd) -o server
 *     ./server 8080
 *     pprof -top http://localhost:8080/debug/pprof/profile?seconds=5
 *
 * There is no second port and no thread of the library: the server gets
 * requests for /debug/pprof/ like all others, and each has a thread that may
 * wait.
 */
#include <cpprof.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The path with its parameters; the handler gets only the path. */
static void *keep_target(void *arg, const char *target,
                         struct MHD_Connection *connection)
{
    (void)arg;
    (void)connection;
    return strdup(target);
}

static void forget_target(void *arg, struct MHD_Connection *connection,
                          void **target, enum MHD_RequestTerminationCode reason)
{
    (void)arg;
    (void)connection;
    (void)reason;
    free(*target);
}

static enum MHD_Result send_profile(struct MHD_Connection *connection,
                                    const char *method, const char *target)
{
    const union MHD_ConnectionInfo *socket =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct cpprof_request request = CPPROF_REQUEST_INIT;
    struct cpprof_response *answer;
    struct MHD_Response *response;
    enum MHD_Result result;

    request.method = method;
    request.target = target;
    request.client = socket->connect_fd;
    answer = cpprof_answer(&request);
    if (!answer)
        return MHD_NO;
    response = MHD_create_response_from_buffer(
        answer->body_len, (void *)answer->body, MHD_RESPMEM_MUST_COPY);
    for (size_t i = 0; i < answer->n_headers; i++)
        MHD_add_response_header(response, answer->headers[i].name,
                                answer->headers[i].value);
    result = MHD_queue_response(connection, (unsigned)answer->status, response);
    MHD_destroy_response(response);
    cpprof_response_free(answer);
    return result;
}

static enum MHD_Result send_greeting(struct MHD_Connection *connection)
{
    static char text[] = "hello\n";
    struct MHD_Response *response = MHD_create_response_from_buffer(
        strlen(text), text, MHD_RESPMEM_PERSISTENT);
    enum MHD_Result result =
        MHD_queue_response(connection, MHD_HTTP_OK, response);

    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result handle(void *arg, struct MHD_Connection *connection,
                              const char *path, const char *method,
                              const char *version, const char *body,
                              size_t *body_len, void **target)
{
    (void)arg;
    (void)version;
    (void)body;
    *body_len = 0; /* this server reads no body */
    if (strncmp(path, "/debug/pprof/", 13) == 0)
        return send_profile(connection, method, *target);
    return send_greeting(connection);
}

int main(int argc, char **argv)
{
    unsigned short port = (unsigned short)(argc > 1 ? atoi(argv[1]) : 0);
    struct MHD_Daemon *server = MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD, port,
        NULL, NULL, handle, NULL, MHD_OPTION_URI_LOG_CALLBACK, keep_target,
        NULL, MHD_OPTION_NOTIFY_COMPLETED, forget_target, NULL, MHD_OPTION_END);

    if (!server) {
        perror("server");
        return 1;
    }
    printf("listening on %u\n",
           MHD_get_daemon_info(server, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    for (;;)
        pause();
}
