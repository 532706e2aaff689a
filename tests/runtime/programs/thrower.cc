// thrower.cc - a library for the stress program that throws exceptions: they pass
// through frames with cleanups, are caught, rethrown, or come from an operator new
// without memory.
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

// Frames with cleanups only; the landing pad precedes the function's next part.
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

// Number of faults.
extern "C" int thrower_run(int depth)
{
    int alive = 0, caught = 0;

    try {
        again(depth, alive);
    } catch (const std::exception &e) {
        caught += std::string(e.what()).size() > 20;
    }
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    caught++; // the sanitizer's operator new ends the program instead
#else
    try {
        volatile std::size_t most = static_cast<std::size_t>(-1) / 4;
        ::operator delete(::operator new(most)); // the volatile size keeps the call
    } catch (const std::bad_alloc &) {
        caught++;
    }
#endif
    return (caught != 2) + (alive != 0);
}
