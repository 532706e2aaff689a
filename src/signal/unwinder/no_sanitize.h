/*
 * raw - for functions that read a stranger's stack: no sanitizer may look over
 * their shoulder. What they call needs it as well, for it would not be inlined.
 */
#ifndef CP_NO_SANITIZE_H
#define CP_NO_SANITIZE_H

#define CP_NO_SANITIZE                                                         \
    __attribute__((no_sanitize("address", "thread", "undefined")))

#endif
