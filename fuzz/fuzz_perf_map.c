/* fuzz_perf_map.c - maps of compiled code, asked about their own addresses. */
#include <stdlib.h>
#include <string.h>

#include "symbol/perf_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct cp_perf_map *m = NULL;
    uint64_t address = 0;

    if (!text)
        return 0;
    if (size > 0) {
        memcpy(text, data, size);
        memcpy(&address, data, size < sizeof(address) ? size : sizeof(address));
    }
    if (cp_perf_map_read(&m, text, size, NULL) == CP_OK) {
        for (int shift = 0; shift < 64; shift += 8) {
            const char *name = cp_perf_map_find(m, address >> shift);

            if (name && strlen(name) > size)
                abort();
        }
        cp_perf_map_close(m);
    }
    free(text);
    return 0;
}
