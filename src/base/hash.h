/*
 * hash - the hash functions of all hash tables.
 *
 * Multiply and fold to 128 bits: one multiplication per sixteen bytes. Both
 * factors contain a random number that differs in each run. With a constant
 * factor a malicious file could choose names whose hashes collide. No output
 * may depend on the order of a hash table.
 *
 * A hash must cover every field that the table compares. It must not combine
 * two input fields before they are mixed (a ^ b), because a file could choose
 * them to cancel out.
 */
#ifndef CP_HASH_H
#define CP_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Random, set once before main; the factor is odd. */
extern uint64_t cp_hash_seed, cp_hash_factor;

static inline uint64_t cp_hash_mix(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)(a ^ cp_hash_seed) * (b ^ cp_hash_factor);
    uint64_t x = (uint64_t)product ^ (uint64_t)(product >> 64) ^ a;

    x *= 0x9e3779b97f4a7c15u; /* an even factor leaves low bits equal, ... */
    return x ^ x >> 32;       /* ... so the high bits are folded down */
}

/* Hashes one word. Injective: different words have different hashes. */
static inline uint64_t cp_hash_unique(uint64_t a)
{
    a = (a ^ cp_hash_seed) * cp_hash_factor;
    a = (a ^ a >> 32) * 0xd1b54a32d192ed03u;
    return a ^ a >> 29;
}

static inline uint64_t cp_hash_bytes(const void *bytes, size_t len)
{
    const unsigned char *p = bytes;
    uint64_t h = len, a, b;

    for (; len >= 16; len -= 16, p += 16) {
        memcpy(&a, p, 8);
        memcpy(&b, p + 8, 8);
        h = cp_hash_mix(h ^ a, b);
    }
    a = b = 0;
    if (len >= 8) {
        memcpy(&a, p, 8);
        memcpy(&b, p + len - 8, 8);
    } else if (len >= 4) {
        uint32_t lo, hi;

        memcpy(&lo, p, 4);
        memcpy(&hi, p + len - 4, 4);
        a = lo;
        b = hi;
    } else if (len) {
        a = (uint64_t)p[0] << 16 | (uint64_t)p[len / 2] << 8 | p[len - 1];
    }
    return cp_hash_mix(h ^ a, b + 0x2545f4914f6cdd1du);
}

#endif
