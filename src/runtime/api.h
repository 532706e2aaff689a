/* api - what include/cpprof.h's functions need of the rest of the library. */
#ifndef CP_API_H
#define CP_API_H

/* In the child of a fork. */
void cp_api_after_fork(void);

#endif
