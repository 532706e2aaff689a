/*
 * fuzz_regex.c - matches any pattern against any text: no crash, no hang, and a
 * deterministic result.
 *
 * The first byte is the length of the pattern; the rest is the text.
 */
#include "regex/regex.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *pattern = (const char *)data + 1, *text;
    struct cp_error err = { 0 };
    struct cp_regex *re;
    size_t len;
    bool is_match;

    if (size == 0)
        return 0;
    len = data[0] < size - 1 ? data[0] : size - 1;
    text = pattern + len;
    re = cp_regex_new(pattern, len, &err);
    if (!re) {
        if (err.status != CP_EUSAGE || err.msg[0] == '\0')
            abort();
        return 0;
    }
    is_match = cp_regex_match(re, text, size - 1 - len);
    if (cp_regex_check(re, NULL) == CP_OK &&
        cp_regex_match(re, text, size - 1 - len) != is_match)
        abort();
    cp_regex_free(re);
    return 0;
}
