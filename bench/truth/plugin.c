/* plugin.c - the work functions in a library that truth loads and unloads. */
#include "truth.h"

void seventy(unsigned long rounds);
void twenty(unsigned long rounds);
void ten(unsigned long rounds);

void seventy(unsigned long rounds)
{
    TRUTH_WORK(rounds);
}

void twenty(unsigned long rounds)
{
    TRUTH_WORK(rounds);
}

void ten(unsigned long rounds)
{
    TRUTH_WORK(rounds);
}
