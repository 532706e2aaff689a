/* next.c - see next.h. */
#include "runtime/next.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "signal/heap.h"

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return;
}

void *cp_next_find(struct cp_next *next)
{
    void *found = NULL;

    cp_heap_self.busy++;
    if (next->version)
        found = dlvsym(RTLD_NEXT, next->name, next->version);
    if (!found)
        found = dlsym(RTLD_NEXT, next->name);
    cp_heap_self.busy--;
    if (!found) {
        say("cpprof: libc has no ");
        say(next->name);
        say("\n");
        abort();
    }
    atomic_store_explicit(&next->found, found, memory_order_release);
    return found;
}
