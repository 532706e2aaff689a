/*
 * fuzz_instance.c - reads any bytes as the registry file of a process. An
 * accepted entry must fit its limits and survive a round trip.
 */
#include "base/instance.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[CP_INSTANCE_BYTES], again[CP_INSTANCE_BYTES];
    struct cp_instance first, second;

    if (size >= sizeof(text))
        size = sizeof(text) - 1;
    memcpy(text, data, size);
    text[size] = '\0';
    if (!cp_instance_parse(&first, text))
        return 0;
    cp_instance_format(&first, text);
    memcpy(again, text, sizeof(again));
    if (!cp_instance_parse(&second, again))
        abort();
    cp_instance_format(&second, again);
    if (strcmp(text, again) != 0)
        abort();
    return 0;
}
