/*
 * mount_libevent.c - profiles inside a server on libevent.
 *
 *     cc -g -O2 mount_libevent.c $(pkg-config --cflags --libs cpprof \
 *         libevent libevent_pthreads) -pthread -o server
 *     ./server 8080
 *     pprof -top http://localhost:8080/debug/pprof/profile?seconds=5
 *
 * The event loop must not wait for a profile. So a thread takes it and passes
 * the answer back to the loop, because only the loop may use the request.
 */
#include <arpa/inet.h>
#include <cpprof.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/thread.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
    struct event_base *base;
    struct evhttp_request *request;
    struct cpprof_response *answer;
};

/* Runs in the loop. libevent handles a client that has disconnected. */
static void reply(evutil_socket_t fd, short events, void *arg)
{
    struct job *job = arg;
    const struct cpprof_response *answer = job->answer;
    struct evkeyvalq *headers = evhttp_request_get_output_headers(job->request);
    struct evbuffer *body = evbuffer_new();

    (void)fd;
    (void)events;
    for (size_t i = 0; answer && i < answer->n_headers; i++)
        evhttp_add_header(headers, answer->headers[i].name,
                          answer->headers[i].value);
    if (answer)
        evbuffer_add(body, answer->body, answer->body_len);
    evhttp_send_reply(job->request, answer ? answer->status : 500, NULL, body);
    evbuffer_free(body);
    cpprof_response_free(job->answer);
    free(job);
}

/* Runs in a new thread. */
static void *take_profile(void *arg)
{
    struct job *job = arg;
    struct cpprof_request request = CPPROF_REQUEST_INIT;

    request.method = "GET";
    request.target = evhttp_request_get_uri(job->request);
    job->answer = cpprof_answer(&request);
    event_base_once(job->base, -1, EV_TIMEOUT, reply, job, NULL);
    return NULL;
}

static void on_profile(struct evhttp_request *request, void *base)
{
    struct job *job = calloc(1, sizeof(*job));
    pthread_t thread;

    if (!job) {
        evhttp_send_error(request, 503, NULL);
        return;
    }
    job->base = base;
    job->request = request;
    if (pthread_create(&thread, NULL, take_profile, job) == 0)
        pthread_detach(thread);
    else
        reply(-1, 0, job);
}

static void on_request(struct evhttp_request *request, void *base)
{
    const char *path =
        evhttp_uri_get_path(evhttp_request_get_evhttp_uri(request));
    struct evbuffer *body;

    if (evhttp_request_get_command(request) != EVHTTP_REQ_GET) {
        evhttp_send_error(request, 405, NULL);
        return;
    }
    if (strncmp(path, "/debug/pprof/", 13) == 0) {
        on_profile(request, base);
        return;
    }
    body = evbuffer_new();
    evbuffer_add_printf(body, "hello\n");
    evhttp_send_reply(request, 200, NULL, body);
    evbuffer_free(body);
}

static unsigned port_of(struct evhttp_bound_socket *bound)
{
    struct sockaddr_in here = { 0 };
    socklen_t len = sizeof(here);

    getsockname(evhttp_bound_socket_get_fd(bound), (struct sockaddr *)&here,
                &len);
    return ntohs(here.sin_port);
}

int main(int argc, char **argv)
{
    unsigned short port = (unsigned short)(argc > 1 ? atoi(argv[1]) : 0);
    struct event_base *base;
    struct evhttp *server;
    struct evhttp_bound_socket *bound;

    evthread_use_pthreads();
    base = event_base_new();
    server = evhttp_new(base);
    evhttp_set_gencb(server, on_request, base);
    bound = evhttp_bind_socket_with_handle(server, "127.0.0.1", port);
    if (!bound) {
        perror("server");
        return 1;
    }
    printf("listening on %u\n", port_of(bound));
    fflush(stdout);
    return event_base_dispatch(base);
}
