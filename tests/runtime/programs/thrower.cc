// thrower.cc - a library that throws, for the stress program: exceptions that
// pass through frames with something to clean up, are caught, thrown again, or
// come of an operator new that has no memory.
#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

namespace {

struct Counted {
    explicit Counted(int &n) : n(n) { n++; }
    ~Counted() { n--; }
    int &n;
};

__attribute__((noinline)) void descend(int left, int &alive)
{
    Counted here(alive);
    auto block = std::make_unique<char[]>(static_cast<std::size_t>(left) * 100 + 1);

    if (left == 0)
        throw std::runtime_error("the end of the stairs, which is further down than fits");
    descend(left - 1, alive);
    block[0] = 'x';
}

__attribute__((noinline)) void again(int left, int &alive)
{
    try {
        descend(left, alive);
    } catch (...) {
        throw;
    }
}

struct Small {
    ~Small() { __asm__ volatile(""); }
};

// Nothing but frames that clean up, and land before a function's next part.
__attribute__((noinline)) int dive(int left)
{
    Small here;

    if (left == 0)
        throw left;
    return dive(left - 1) + 1;
}

} // namespace

extern "C" int thrower_dive(int depth)
{
    try {
        return dive(depth);
    } catch (int left) {
        return left;
    }
}

// How many things went wrong.
extern "C" int thrower_run(int depth)
{
    int alive = 0, caught = 0;

    try {
        again(depth, alive);
    } catch (const std::exception &e) {
        caught += std::string(e.what()).size() > 20;
    }
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    caught++; // theirs ends the program instead
#else
    try {
        volatile std::size_t most = static_cast<std::size_t>(-1) / 4;
        ::operator delete(::operator new(most)); // one that is not left out
    } catch (const std::bad_alloc &) {
        caught++;
    }
#endif
    return (caught != 2) + (alive != 0);
}
