/*
 * catalog.cpp - C++: threads, a growing map, exceptions.
 *
 *     g++ -g -O2 catalog.cpp $(pkg-config --cflags --libs cpprof) -o catalog
 *     ./catalog
 *     pprof -top -cum -focus=Catalog cpu.pb.gz    # names as in the source
 *     pprof -top -cum heap.pb.gz                  # callers that fill the map
 */
#include <cpprof.h>
#include <fcntl.h>
#include <unistd.h>

#include <ctime>
#include <iostream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

class Catalog
{
  public:
    void add(const std::string &key, const std::string &price)
    {
        int cents = parse(price);
        std::lock_guard<std::mutex> guard(lock_);
        prices_[key].push_back(cents);
    }

    /* A bad price throws, which costs far more than a good one. */
    void addOrCount(const std::string &key, const std::string &price)
    {
        try {
            add(key, price);
        } catch (const std::invalid_argument &) {
            std::lock_guard<std::mutex> guard(lock_);
            refused_++;
        }
    }

    size_t refused() const
    {
        return refused_;
    }
    size_t size() const
    {
        return prices_.size();
    }

  private:
    static int parse(const std::string &price)
    {
        if (price.empty() || price[0] == '?')
            throw std::invalid_argument("no price");
        return std::stoi(price);
    }

    std::map<std::string, std::vector<int>> prices_;
    std::mutex lock_;
    size_t refused_ = 0;
};

static void fill(Catalog &catalog, int worker)
{
    for (int i = 0; i < 200000; i++) {
        std::string key = "article number " + std::to_string(i * 2 + worker);
        catalog.addOrCount(key, i % 2 ? std::to_string(i) : "?");
    }
}

static bool write(const char *path, cpprof_profile *profile)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    bool ok = cpprof_stop(profile, fd) == 0;

    close(fd);
    return ok;
}

int main()
{
    Catalog catalog;
    cpprof_profile *heap = cpprof_start("heap"), *cpu = cpprof_start("profile");
    std::thread one(fill, std::ref(catalog), 0);
    std::thread other(fill, std::ref(catalog), 1);

    one.join();
    other.join();
    if (!write("cpu.pb.gz", cpu) || !write("heap.pb.gz", heap)) {
        std::cerr << cpprof_error() << "\n";
        return 1;
    }
    std::cout << catalog.size() << " articles, " << catalog.refused()
              << " refused\n";
}
