/* fuzz_command.c - parses command lines; each input line is an argument. */
#include <stdlib.h>
#include <string.h>

#include "tool/cli/command.h"

#define MAX_WORDS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *argv[MAX_WORDS] = { "pprof" };
    char *text = malloc(size + 1), *at = text;
    struct cp_command c;
    int argc = 1;

    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    while (at && argc < MAX_WORDS) {
        argv[argc++] = at;
        at = strchr(at, '\n');
        if (at)
            *at++ = '\0';
    }
    if (cp_command_init(&c, argc, argv, NULL) == CP_OK)
        cp_command_release(&c);
    free(text);
    return 0;
}
