/*
 * labels.c - labels tell for which request a thread works.
 *
 *     cc -g -O2 labels.c $(pkg-config --cflags --libs cpprof) -o labels
 *     ./labels > cpu.pb.gz
 *     pprof -tags cpu.pb.gz                         # time by route
 *     pprof -top -tagfocus=route=/search cpu.pb.gz  # one route only
 *
 * A request sets its route as a label. The program passes the labels on with
 * the work, so that samples of a background thread have them too.
 */
#include <cpprof.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

struct request {
    const char *route;
    int cpu_ms;      /* amount of work */
    unsigned labels; /* labels of the thread that received the request */
};

static double thread_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void compute(double ms)
{
    double until = thread_ms() + ms;

    while (thread_ms() < until)
        ;
}

static void *answer_in_background(void *arg)
{
    const struct request *request = arg;

    cpprof_labels_put(request->labels);
    compute(request->cpu_ms);
    return NULL;
}

static void receive(struct request *request)
{
    pthread_t worker;

    cpprof_label_set("route", request->route);
    compute(50); /* the work of reading the request */
    request->labels = cpprof_labels_get();
    if (pthread_create(&worker, NULL, answer_in_background, request) == 0)
        pthread_join(worker, NULL);
    cpprof_label_clear("route");
}

int main(void)
{
    struct request search = { "/search", 550, 0 }, home = { "/", 150, 0 };
    struct cpprof_profile *profile = cpprof_start("profile");

    receive(&search);
    receive(&home);
    return cpprof_stop(profile, STDOUT_FILENO) != 0;
}
