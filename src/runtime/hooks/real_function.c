/* real_function.c - see real_function.h. */
#include "runtime/hooks/real_function.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "signal/heap/alloc_sampler.h"

/* What CP_REAL put into the section of that name; the linker sets these. */
extern struct cp_real_function *__start_cp_real_functions[]
    __attribute__((visibility("hidden")));
extern struct cp_real_function *__stop_cp_real_functions[]
    __attribute__((visibility("hidden")));

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return;
}

/*
 * pread64 is pread wherever a long has 64 bits; musl binds programs to it under
 * both names, but has only the one.
 */
static void *find_same(const char *name)
{
    size_t len = strlen(name);
    char same[32];

    if (len < 2 || len >= sizeof(same) || strcmp(name + len - 2, "64") != 0)
        return NULL;
    memcpy(same, name, len - 2);
    same[len - 2] = '\0';
    return dlsym(RTLD_NEXT, same);
}

static void *find(struct cp_real_function *next)
{
    void *found = NULL;

    cp_alloc_self.hook_depth++;
    if (next->version)
        found = dlvsym(RTLD_NEXT, next->name, next->version);
    if (!found)
        found = dlsym(RTLD_NEXT, next->name);
    if (!found)
        found = find_same(next->name);
    cp_alloc_self.hook_depth--;
    if (found)
        atomic_store_explicit(&next->found, found, memory_order_release);
    return found;
}

void *cp_real_find(struct cp_real_function *next)
{
    void *found = find(next);

    if (found)
        return found;
    say("cpprof: libc has no ");
    say(next->name);
    say("\n");
    abort();
}

/* Before lifecycle.c's. What an old libc does not have is not missed yet. */
__attribute__((constructor(101))) static void prepare(void)
{
    for (struct cp_real_function **n = __start_cp_real_functions;
         n < __stop_cp_real_functions; n++)
        (void)find(*n);
}
