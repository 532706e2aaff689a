/*
 * own_malloc - a program that defines malloc and uses libstdc++'s operators,
 * for tests/cli/memory.
 *
 * Every block must come from this malloc and go back to it, also those of
 * operator new, aligned ones and those of reallocarray.
 */
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

static const std::size_t POOL = 1 << 24;
alignas(4096) static char pool[POOL];
static std::atomic<std::size_t> used;
static std::atomic<int> n_taken, n_foreign;

struct alignas(256) Wide {
    char bytes[512];
};

static void *take(std::size_t alignment, std::size_t size)
{
    std::size_t need = (size + alignment + 31) & ~(std::size_t)15;
    std::uintptr_t at = (std::uintptr_t)pool + used.fetch_add(need) + 16;

    n_taken++;
    at = (at + alignment - 1) & ~(std::uintptr_t)(alignment - 1);
    std::memcpy((void *)(at - 16), &size, sizeof(size));
    return (void *)at;
}

extern "C" {

void *malloc(std::size_t size)
{
    return take(16, size);
}

void *aligned_alloc(std::size_t alignment, std::size_t size)
{
    return take(alignment, size);
}

void *calloc(std::size_t n, std::size_t size)
{
    return take(16, n * size); /* memory is never reused */
}

void free(void *block)
{
    std::uintptr_t at = (std::uintptr_t)block;

    if (block && at - (std::uintptr_t)pool >= POOL)
        n_foreign++;
}

void *realloc(void *block, std::size_t size)
{
    void *moved = take(16, size);
    std::size_t old = 0;

    if (block)
        std::memcpy(&old, (char *)block - 16, sizeof(old));
    if (old)
        std::memcpy(moved, block, old < size ? old : size);
    return moved;
}

void *reallocarray(void *block, std::size_t n, std::size_t size);
}

int main()
{
    int before = n_taken;
    char *volatile text = (char *)malloc(10);
    Wide *volatile wide = new Wide;
    char *volatile bytes = new char[100];

    std::strcpy(text, "moved");
    text = (char *)reallocarray(text, 100, 10);
    if (n_taken - before != 4 || std::strcmp(text, "moved") != 0)
        return 1;
    delete wide;
    delete[] bytes;
    free(text);
    return n_foreign == 0 ? 0 : 2;
}
