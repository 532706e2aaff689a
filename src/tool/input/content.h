/* content - recognizes well-known files that are not profiles. */
#ifndef CP_CONTENT_H
#define CP_CONTENT_H

#include <stddef.h>

/*
 * Describes the bytes if they are a web page, an execution trace or the like;
 * NULL for anything else.
 */
const char *cp_content_other(const void *bytes, size_t len);

#endif
