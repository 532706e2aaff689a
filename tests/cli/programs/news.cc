/*
 * news - every operator new and delete, and containers, for tests/cli/memory.
 *
 * One function per kind of operator allocates N blocks and frees every second
 * one with the matching operator delete. It prints "site NAME SIZE ALLOCATED
 * KEPT", in blocks. The rest is kept to the end. `news fail` requests more than
 * the address space, `news aligned` allocates many aligned blocks.
 */
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

#define KEEP extern "C" __attribute__((noinline, noipa))

static const std::size_t N = 100;
static void *volatile kept[4096];
static std::size_t n_kept;

struct alignas(64) Wide {
    char bytes[192];
};

static const std::align_val_t wide = std::align_val_t(64);

#define SITE(name, size, take, give)                                           \
    KEEP void *name(void)                                                      \
    {                                                                          \
        return take;                                                           \
    }                                                                          \
    static void all_##name(void)                                               \
    {                                                                          \
        for (std::size_t i = 0; i < N; i++) {                                  \
            void *block = name();                                              \
            if (i % 2)                                                         \
                give;                                                          \
            else                                                               \
                kept[n_kept++] = block;                                        \
        }                                                                      \
        std::printf("site " #name " %d %zu %zu\n", size, N, N / 2);            \
    }

SITE(one, 40, operator new(40), operator delete(block))
SITE(one_sized, 48, operator new(48), operator delete(block, 48))
SITE(one_nothrow,
     56, operator new(56, std::nothrow), operator delete(block, std::nothrow))
SITE(one_aligned, 128, operator new(128, wide), operator delete(block, wide))
SITE(one_aligned_sized,
     256, operator new(256, wide), operator delete(block, 256, wide))
SITE(one_aligned_nothrow, 320, operator new(320, wide, std::nothrow),
                               operator delete(block, wide, std::nothrow))
SITE(many, 72, operator new[](72), operator delete[](block))
SITE(many_sized, 80, operator new[](80), operator delete[](block, 80))
SITE(many_nothrow, 88, operator new[](88, std::nothrow),
                       operator delete[](block, std::nothrow))
SITE(many_aligned,
     384, operator new[](384, wide), operator delete[](block, wide))
SITE(many_aligned_sized,
     448, operator new[](448, wide), operator delete[](block, 448, wide))
SITE(many_aligned_nothrow, 512, operator new[](512, wide, std::nothrow),
                                operator delete[](block, wide, std::nothrow))
SITE(object, 192, new Wide, delete static_cast<Wide *>(block))

/* Never destroyed: they exist when the profile is written. */
static auto &numbers = *new std::map<int, int>;
static auto &texts = *new std::list<std::string>;
static auto &vectors =
    *new std::unordered_map<int, std::shared_ptr<std::vector<int>>>;

KEEP void fill_map(void)
{
    for (int i = 0; i < 1000; i++)
        numbers[i] = i;
    for (int i = 0; i < 1000; i += 2)
        numbers.erase(i);
}

KEEP void fill_list(void)
{
    for (int i = 0; i < 500; i++)
        texts.emplace_back(100, 'x');
}

KEEP void fill_table(void)
{
    for (int i = 0; i < 300; i++)
        vectors[i] = std::make_shared<std::vector<int>>(64);
    vectors.clear();
}

/* A failure throws an exception through the library's hook. */
static bool fails_well(void)
{
    volatile std::size_t much = (std::size_t)1 << 62;
    bool is_thrown = false;

    try {
        operator delete(operator new(much));
    } catch (const std::bad_alloc &) {
        is_thrown = true;
    }
    return is_thrown && !operator new(much, std::nothrow) &&
           !operator new[](much, wide, std::nothrow);
}

static int many_objects(void)
{
    for (int i = 0; i < 20000; i++)
        delete static_cast<Wide *>(object());
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return argv[1][0] == 'a' ? many_objects() : fails_well() ? 0 : 1;
    all_one();
    all_one_sized();
    all_one_nothrow();
    all_one_aligned();
    all_one_aligned_sized();
    all_one_aligned_nothrow();
    all_many();
    all_many_sized();
    all_many_nothrow();
    all_many_aligned();
    all_many_aligned_sized();
    all_many_aligned_nothrow();
    all_object();
    fill_map();
    fill_list();
    fill_table();
    operator delete(operator new(0));
    return 0;
}
