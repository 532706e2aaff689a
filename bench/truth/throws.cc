/* throws.cc - work that consists of throwing exceptions. */
#include "truth.h"

static volatile int deepest = 12;

struct Cleanup {
    ~Cleanup() { __asm__ volatile(""); }
};

static __attribute__((noinline)) void dive(int depth)
{
    Cleanup cleanup;

    if (depth >= deepest)
        throw depth;
    dive(depth + 1);
}

#define THROWS(name)                                                           \
    __attribute__((noinline)) void name(unsigned long rounds)                  \
    {                                                                          \
        for (unsigned long i = 0; i < rounds; i++) {                           \
            try {                                                              \
                dive(0);                                                       \
            } catch (int) {                                                    \
            }                                                                  \
        }                                                                      \
    }

THROWS(seventy_throws)
THROWS(twenty_throws)
THROWS(ten_throws)
