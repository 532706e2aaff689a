/* fuzz_demangle.c - demangles the input in every mode. */
#include <stdlib.h>
#include <string.h>

#include "symbol/demangle/demangle_d.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static char out[4096];
    char *name = malloc(size + 1);

    if (!name)
        return 0;
    cp_demangle_also(cp_demangle_d);
    if (size)
        memcpy(name, data, size);
    name[size] = '\0';
    for (int mode = CP_DEMANGLE_NONE; mode <= CP_DEMANGLE_SIMPLE; mode++) {
        size_t cap = size % 5 ? sizeof(out) : 16;

        if (cp_demangle(name, (enum cp_demangle_mode)mode, out, cap) &&
            strlen(out) >= cap)
            abort();
    }
    cp_demangle_strip(name, CP_DEMANGLE_TEMPLATES);
    cp_demangle_strip(name, CP_DEMANGLE_SIMPLE);
    if (strlen(name) > size)
        abort();
    free(name);
    return 0;
}
