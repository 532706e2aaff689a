/* hash.c - chooses the random seed of the hash functions. */
#include "base/hash.h"

#include <sys/random.h>
#include <unistd.h>

uint64_t cp_hash_seed = 0x9e3779b97f4a7c15u;
uint64_t cp_hash_factor = 0xd1b54a32d192ed03u;

/* Runs before all other constructors, because they may use hash tables. */
__attribute__((constructor(101))) static void choose_seed(void)
{
    uint64_t random[2];

    if (getrandom(random, sizeof(random), GRND_NONBLOCK) !=
        (ssize_t)sizeof(random))
        return;
    cp_hash_seed ^= random[0];
    cp_hash_factor = (cp_hash_factor ^ random[1]) | 1;
}
