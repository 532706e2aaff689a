/*
 * one_core - runs a test again on a single core, where code that normally uses
 * several threads uses one.
 */
#ifndef CP_ONE_CORE_H
#define CP_ONE_CORE_H

#include <sched.h>

/* Calls test() with all available cores, and then with one. */
static inline void on_all_and_one_core(void (*test)(void))
{
    cpu_set_t all, one;
    size_t core = 0;

    test();
    if (sched_getaffinity(0, sizeof(all), &all) != 0)
        return;
    while (!CPU_ISSET(core, &all))
        core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (sched_setaffinity(0, sizeof(one), &one) == 0)
        test();
    (void)sched_setaffinity(0, sizeof(all), &all);
}

#endif
