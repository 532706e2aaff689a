/* pairs - `pairs N SIZE`: N times malloc and free, for bench/heap.py. */
#include <stdlib.h>

int main(int argc, char **argv)
{
    long n = argc == 3 ? atol(argv[1]) : 0;
    size_t size = argc == 3 ? (size_t)atol(argv[2]) : 0;

    for (long i = 0; i < n; i++) {
        void *block = malloc(size);

        __asm__ volatile("" : : "r"(block) : "memory");
        free(block);
    }
    return 0;
}
