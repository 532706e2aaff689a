/*
 * no_sanitize - switches sanitizers off in functions that read any word of a
 * stack, which a sanitizer would report. An inline function that such a
 * function calls needs the attribute too: gcc does not inline between functions
 * with different sanitizer settings.
 */
#ifndef CP_NO_SANITIZE_H
#define CP_NO_SANITIZE_H

#define CP_NO_SANITIZE                                                         \
    __attribute__((no_sanitize("address", "thread", "undefined")))

#endif
