/*
 * built_in_place.cc - objects that a container makes in its own memory: what
 * their constructor allocates is the constructor's, not the container's, though
 * std::allocator_traits::construct lies between them when nothing is inlined.
 */
#include <cstdlib>
#include <vector>

struct owner {
    void *block;

    owner();
};

__attribute__((noinline)) static void *take()
{
    return malloc(1000);
}

__attribute__((noinline)) owner::owner() : block(take())
{
}

int main()
{
    std::vector<owner> all;

    all.reserve(100);
    for (int i = 0; i < 100; i++)
        all.emplace_back();
    return all.size() == 100 && all[99].block ? 0 : 1;
}
