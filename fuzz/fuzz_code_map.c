/* fuzz_code_map.c - reads the input as a perf map, a jitdump and kallsyms. */
#include <string.h>

#include "symbol/code/code_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t
    sum; /* sum of the bytes read, so that the compiler keeps the reads */

static void take(void *context, size_t index,
                 const struct cp_symbol_frame *frames, size_t n_frames)
{
    (void)context;
    sum += index;
    if (n_frames) {
        sum += strlen(frames[0].function);
        sum += frames[0].file ? strlen(frames[0].file) : 0;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t addresses[] = {
        0, 0x1000, 0x1010, 0x2000, 0xffffffff81000010, UINT64_MAX
    };
    struct cp_code_map *m;

    if (cp_code_map_view(&m, data, size, NULL) != CP_OK)
        return 0;
    (void)cp_code_map_resolve(m, addresses,
                              sizeof(addresses) / sizeof(addresses[0]), take,
                              NULL, NULL);
    cp_code_map_close(m);
    return 0;
}
