/* settle - waits until no walker sees what was taken out of its sight. */
#ifndef CP_WAIT_FOR_READERS_H
#define CP_WAIT_FOR_READERS_H

#include <stdbool.h>

/*
 * Waits for every walker that is at it now: a few microseconds as a rule. False
 * if one has not finished after a second; then what it may see must stay.
 */
bool cp_wait_for_readers(void);

#endif
