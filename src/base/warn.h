/* warn - the type of a function that receives warnings. */
#ifndef CP_WARN_H
#define CP_WARN_H

/* Receives one line without newline; context is the caller's. */
typedef void (*cp_warn)(void *context, const char *line);

#endif
