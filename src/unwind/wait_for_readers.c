/* wait_for_readers.c - see wait_for_readers.h. */
#include "unwind/wait_for_readers.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "signal/tables/readers.h"

#define MAX_WAITS 1000 /* milliseconds */

bool cp_wait_for_readers(void)
{
    const struct timespec pause = { 0, 1000000 };
    uint32_t turns[CP_READER_SLOTS];

    cp_readers_epochs(turns);
    for (int i = 0; i < MAX_WAITS; i++) {
        if (cp_readers_quiesced(turns))
            return true;
        (void)nanosleep(&pause, NULL);
    }
    return false;
}
