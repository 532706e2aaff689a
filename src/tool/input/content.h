/* content - what was sent or named instead of a profile. */
#ifndef CP_CONTENT_H
#define CP_CONTENT_H

#include <stddef.h>

/*
 * Words for something well known that is no profile, such as a web page or
 * an execution trace; NULL for anything else.
 */
const char *cp_content_other(const void *bytes, size_t len);

#endif
