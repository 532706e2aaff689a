/*
 * own_new - a program that replaces operator new and delete, for
 * tests/cli/memory.
 *
 * It replaces only the two that all other forms call. A call of another form
 * must end up here: these blocks do not come from malloc.
 */
#include <cstdio>
#include <cstdlib>
#include <new>

alignas(16) static char memory[1 << 20];
static std::size_t used;
static long n_new, n_delete, n_strange;

void *operator new(std::size_t size)
{
    void *block = memory + used;

    used += (size + 15) & ~(std::size_t)15;
    n_new++;
    return block;
}

void operator delete(void *block) noexcept
{
    n_delete++;
    if ((char *)block < memory || (char *)block >= memory + sizeof(memory))
        n_strange++;
}

int main()
{
    for (int i = 0; i < 10; i++) {
        operator delete(operator new(100));
        operator delete(operator new(100), 100);
        operator delete(operator new(100, std::nothrow), std::nothrow);
        operator delete[](operator new[](100));
        operator delete[](operator new[](100), 100);
        operator delete[](operator new[](100, std::nothrow), std::nothrow);
    }
    std::printf("%ld %ld %ld\n", n_new, n_delete, n_strange);
    return n_new == 60 && n_delete == 60 && n_strange == 0 ? 0 : 1;
}
