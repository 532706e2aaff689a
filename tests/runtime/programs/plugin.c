/* plugin - a library that api_target loads during a profile. */
#include <stdlib.h>

void plugin_work(volatile unsigned *sink, unsigned n);
void *plugin_take(size_t size);
void *plugin_make(size_t size);

void plugin_work(volatile unsigned *sink, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        *sink = *sink * 1664525u + 1013904223u;
}

/* Has its own frame. */
void *plugin_make(size_t size)
{
    char *block = malloc(size);

    if (block)
        *(volatile char *)block = 1;
    return block;
}

/* A block that outlives the library. */
void *plugin_take(size_t size)
{
    return malloc(size);
}
