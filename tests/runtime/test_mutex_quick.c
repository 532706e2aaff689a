/*
 * test_mutex_quick - a mutex taken by us is, byte for byte, one taken by libc,
 * and excludes, wakes and waits as such.
 */
#include "runtime/mutex_quick.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define THREADS 4
#define TURNS 50000

static cp_mutex_call *lock, *unlock; /* libc's, past any sanitizer */

static cp_mutex_call *of_libc(const char *name)
{
    union {
        void *object;
        cp_mutex_call *function;
    } found = { NULL };
    void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);

    if (CHECK(libc))
        found.object = dlsym(libc, name);
    CHECK(found.object);
    return found.function;
}

static int in_between(pthread_mutex_t *m)
{
    return lock(m);
}

static void test_whether(void)
{
    CHECK(!cp_mutex_quick_is_right(in_between, unlock));
    CHECK(!cp_mutex_quick_is_right(lock, in_between));
    CHECK(cp_mutex_quick_is_right(lock, unlock));
    CHECK_INT(cp_mutex_quick_id, 0);
}

/* Helgrind and DRD would take every unlock for one too many. */
static void test_valgrind(void)
{
    CHECK_INT(setenv("LD_PRELOAD", "/usr/vgpreload_core-amd64-linux.so", 1), 0);
    CHECK(!cp_mutex_quick_is_right(lock, unlock));
    CHECK_INT(unsetenv("LD_PRELOAD"), 0);
}

static int compare(void)
{
    pthread_mutex_t theirs = PTHREAD_MUTEX_INITIALIZER, ours = theirs, fresh;

    memcpy(&fresh, &ours, sizeof(fresh));
    return CHECK(cp_mutex_is_plain(&ours)) && CHECK_INT(lock(&theirs), 0) &&
           CHECK(cp_mutex_quick_take(&ours)) &&
           CHECK_INT(ours.__data.__owner, gettid()) &&
           CHECK(memcmp(&ours, &theirs, sizeof(ours)) == 0) &&
           CHECK(!cp_mutex_quick_take(&ours)) &&
           CHECK(!cp_mutex_quick_take(&theirs)) &&
           CHECK_INT(unlock(&ours), 0) &&
           CHECK(memcmp(&ours, &fresh, sizeof(ours)) == 0) &&
           CHECK_INT(unlock(&theirs), 0);
}

static void *compare_in_thread(void *unused)
{
    (void)compare();
    return unused;
}

/* The first thread, another, and the child of a fork, which has a new id. */
static void test_bytes(void)
{
    pthread_t thread;
    int status = -1;
    pid_t child;

    (void)compare();
    if (CHECK_INT(pthread_create(&thread, NULL, compare_in_thread, NULL), 0))
        CHECK_INT(pthread_join(thread, NULL), 0);
    (void)fflush(NULL);
    child = fork();
    if (child == 0 && cp_mutex_quick_learn())
        _exit(compare() ? 0 : 1);
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
}

static bool is_plain_with(int type, int robust, int shared, int protocol)
{
    pthread_mutexattr_t a;
    pthread_mutex_t m;
    bool is_plain;

    CHECK_INT(pthread_mutexattr_init(&a), 0);
    CHECK_INT(pthread_mutexattr_settype(&a, type), 0);
    CHECK_INT(pthread_mutexattr_setrobust(&a, robust), 0);
    CHECK_INT(pthread_mutexattr_setpshared(&a, shared), 0);
    CHECK_INT(pthread_mutexattr_setprotocol(&a, protocol), 0);
    CHECK_INT(pthread_mutex_init(&m, &a), 0);
    is_plain = cp_mutex_is_plain(&m);
    CHECK_INT(pthread_mutex_destroy(&m), 0);
    CHECK(!cp_mutex_is_plain(&m));
    return is_plain;
}

static void test_kinds(void)
{
    pthread_mutex_t m;

    CHECK_INT(pthread_mutex_init(&m, NULL), 0);
    CHECK(cp_mutex_is_plain(&m));
    CHECK_INT(pthread_mutex_destroy(&m), 0);
    CHECK(!is_plain_with(PTHREAD_MUTEX_RECURSIVE, 0, 0, 0));
    CHECK(!is_plain_with(PTHREAD_MUTEX_ERRORCHECK, 0, 0, 0));
    CHECK(!is_plain_with(PTHREAD_MUTEX_ADAPTIVE_NP, 0, 0, 0));
    CHECK(!is_plain_with(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, 0, 0));
    CHECK(!is_plain_with(PTHREAD_MUTEX_NORMAL, 0, PTHREAD_PROCESS_SHARED, 0));
    CHECK(!is_plain_with(PTHREAD_MUTEX_NORMAL, 0, 0, PTHREAD_PRIO_INHERIT));
    CHECK(!is_plain_with(PTHREAD_MUTEX_NORMAL, 0, 0, PTHREAD_PRIO_PROTECT));
}

static pthread_mutex_t common = PTHREAD_MUTEX_INITIALIZER;
static unsigned long sum;

/* Half of them by us where it is free, half by libc alone. */
static void *take_turns(void *is_ours)
{
    for (int i = 0; i < TURNS; i++) {
        if (!is_ours || !cp_mutex_quick_take(&common))
            (void)lock(&common);
        sum++;
        (void)unlock(&common);
    }
    return NULL;
}

static void test_exclusion(void)
{
    pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, take_turns,
                                 i % 2 ? &common : NULL),
                  0);
    for (size_t i = 0; i < THREADS; i++)
        CHECK_INT(pthread_join(threads[i], NULL), 0);
    CHECK_INT(sum, THREADS * TURNS);
    CHECK(memcmp(&common, &fresh, sizeof(fresh)) == 0);
}

static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_told;

static void *tell(void *unused)
{
    if (!cp_mutex_quick_take(&common))
        (void)lock(&common);
    is_told = true;
    (void)pthread_cond_signal(&changed);
    (void)unlock(&common);
    return unused;
}

/* A condition lets go of the mutex that we took, and takes it again. */
static void test_condition(void)
{
    pthread_t thread;

    CHECK(cp_mutex_quick_take(&common));
    CHECK_INT(pthread_create(&thread, NULL, tell, NULL), 0);
    while (!is_told)
        CHECK_INT(pthread_cond_wait(&changed, &common), 0);
    CHECK_INT(common.__data.__owner, gettid());
    CHECK_INT(unlock(&common), 0);
    CHECK_INT(pthread_join(thread, NULL), 0);
}

int main(void)
{
    lock = of_libc("pthread_mutex_lock");
    unlock = of_libc("pthread_mutex_unlock");
    if (lock && unlock) {
        RUN(test_whether);
        RUN(test_valgrind);
        RUN(test_kinds);
        RUN(test_bytes);
        RUN(test_exclusion);
        RUN(test_condition);
    }
    return check_failures != 0;
}
