/*
 * random - SplitMix64, the random numbers of the heap and lock samplers.
 *
 * Context: any, signal handlers included. Locking, ordering: none; the state
 * belongs to one thread. Failure: none.
 */
#ifndef CP_SIGNAL_RANDOM_H
#define CP_SIGNAL_RANDOM_H

#include <stdint.h>

#define CP_RANDOM_STEP 0x9e3779b97f4a7c15u

/* Returns x with its bits mixed; equal for equal x. */
static inline uint64_t cp_random_mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Advances the state and returns the next number, 0 to 2^64 - 1. */
static inline uint64_t cp_random_next(uint64_t *state)
{
    *state += CP_RANDOM_STEP;
    return cp_random_mix(*state);
}

#endif
