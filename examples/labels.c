/*
 * labels.c - whose time is it? Labels say for whom a thread works.
 *
 *     cc -g -O2 labels.c $(pkg-config --cflags --libs cpprof) -o labels
 *     ./labels > cpu.pb.gz
 *     pprof -tags cpu.pb.gz                         # time by route
 *     pprof -top -tagfocus=route=/search cpu.pb.gz  # one route only
 *
 * A request has its route as a label. What it hands to another thread is
 * still its own: the labels go with the work.
 */
#include <cpprof.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

struct request {
    const char *route;
    int cpu_ms;      /* how much work it is */
    unsigned labels; /* of the thread that has received it */
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
    compute(50); /* reading it */
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
