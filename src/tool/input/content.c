/*
 * content.c - recognizes the starts of well-known files that are not profiles.
 */
#include "tool/input/content.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define TRACE_HEAD_BYTES 16 /* "go 1.22 trace", padded with zeros */

static bool begins(const char *text, size_t len, const char *with)
{
    size_t n = strlen(with);

    return len >= n && strncasecmp(text, with, n) == 0;
}

const char *cp_content_other(const void *bytes, size_t len)
{
    const char *text = bytes;

    while (len > 0 && strchr(" \t\r\n", *text) && *text) {
        text++;
        len--;
    }
    if (begins(text, len, "<!doctype html") || begins(text, len, "<html") ||
        begins(text, len, "<head"))
        return "a web page (HTML), not a profile";
    if (begins(text, len, "go 1.") && len >= TRACE_HEAD_BYTES &&
        memmem(text, TRACE_HEAD_BYTES, " trace", 6))
        return "an execution trace, not a profile: open it with cpprof trace";
    if (begins(text, len, "goroutine ") && memmem(text, len, "]:\n", 3))
        return "a listing of goroutines, not a profile: fetch it without "
               "debug=2";
    return NULL;
}
