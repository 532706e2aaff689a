/* settle.c - see settle.h. */
#include "unwind/settle.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "signal/tables/readers.h"

#define MAX_WAITS 1000 /* milliseconds */

bool cp_settle(void)
{
    const struct timespec pause = { 0, 1000000 };
    uint32_t turns[CP_READERS];

    cp_signal_turns(turns);
    for (int i = 0; i < MAX_WAITS; i++) {
        if (cp_signal_have_left(turns))
            return true;
        (void)nanosleep(&pause, NULL);
    }
    return false;
}
