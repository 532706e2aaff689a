/*
 * plugin.c - the parts of the workload in a library that is loaded and
 * unloaded.
 */
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
