/* real_function.c - looks the real functions up when the library is loaded. */
#include "runtime/hooks/real_function.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "signal/heap/alloc_sampler.h"

/* Bounds of the section that CP_REAL_ENTRY fills; set by the linker. */
extern struct cp_real_function *__start_cp_real_functions[]
    __attribute__((visibility("hidden")));
extern struct cp_real_function *__stop_cp_real_functions[]
    __attribute__((visibility("hidden")));

static void print(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return;
}

/*
 * Finds pread for the name pread64: where long has 64 bits the two are the same
 * function. musl's loader binds programs to both names, but dlsym finds only
 * pread.
 */
static void *find_without_64(const char *name)
{
    size_t len = strlen(name);
    char same[32];

    if (len < 2 || len >= sizeof(same) || strcmp(name + len - 2, "64") != 0)
        return NULL;
    memcpy(same, name, len - 2);
    same[len - 2] = '\0';
    return dlsym(RTLD_NEXT, same);
}

static void *find(struct cp_real_function *real)
{
    void *found = NULL;

    cp_alloc_self.hook_depth++;
    if (real->version)
        found = dlvsym(RTLD_NEXT, real->name, real->version);
    if (!found)
        found = dlsym(RTLD_NEXT, real->name);
    if (!found)
        found = find_without_64(real->name);
    cp_alloc_self.hook_depth--;
    if (found)
        atomic_store_explicit(&real->found, found, memory_order_release);
    return found;
}

void *cp_real_find(struct cp_real_function *real)
{
    void *found = find(real);

    if (found)
        return found;
    print("cpprof: libc has no ");
    print(real->name);
    print(", which the program calls; use a newer libc\n");
    abort();
}

/*
 * Runs before the constructor of lifecycle.c. A function that an old libc lacks
 * is an error only when the program calls it.
 */
__attribute__((constructor(101))) static void prepare(void)
{
    for (struct cp_real_function **n = __start_cp_real_functions;
         n < __stop_cp_real_functions; n++)
        (void)find(*n);
}
