/* leak_maps.c - parses /proc/self/maps line by line. */
#include "runtime/heap/leak_maps.h"

#include <stdio.h>
#include <string.h>

static bool parse(const char *line, struct cp_leak_mapping *out)
{
    unsigned long start, end;
    char rights[5];

    if (sscanf(line, "%lx-%lx %4s", &start, &end, rights) != 3 ||
        strlen(rights) != 4 || rights[0] != 'r' || rights[3] != 'p')
        return false;
    *out = (struct cp_leak_mapping){
        .start = start,
        .end = end,
        .is_libc = strstr(line, "/libc.so.6") != NULL,
        .is_read_only = rights[1] != 'w',
    };
    return true;
}

bool cp_leak_maps_next(char **text, struct cp_leak_mapping *out)
{
    while (**text) {
        char *line = *text, *end = strchr(line, '\n');

        *text = end ? end + 1 : line + strlen(line);
        if (end)
            *end = '\0';
        if (parse(line, out))
            return true;
    }
    return false;
}
