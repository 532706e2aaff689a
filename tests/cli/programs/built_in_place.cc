/*
 * built_in_place.cc - a container constructs objects in its own memory. The
 * heap profile must show what their constructor allocates in the constructor,
 * although std::allocator_traits::construct is between the two when nothing is
 * inlined.
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
