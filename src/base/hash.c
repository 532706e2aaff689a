/* hash.c - the seed; see hash.h. */
#include "base/hash.h"

#include <sys/random.h>

uint64_t cp_hash_seed = 0x9e3779b97f4a7c15u;

/* Before all other constructors: what they start hashes as well. */
__attribute__((constructor(101))) static void choose_seed(void)
{
    uint64_t random;

    if (getrandom(&random, sizeof(random), GRND_NONBLOCK) ==
        (ssize_t)sizeof(random))
        cp_hash_seed ^= random;
}
