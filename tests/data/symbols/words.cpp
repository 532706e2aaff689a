// A program to be symbolized: templates, lambdas, local classes, inlining
// over several levels, static functions of one name, exceptions.
#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" int squeeze(const char *text, int n);

namespace words
{

template <typename T> struct Tally {
    std::map<T, int> counts;

    void add(const T &key, int by)
    {
        if (by < 0)
            throw std::invalid_argument("less than nothing");
        counts[key] += by;
    }

    template <typename F> void each(F visit) const
    {
        for (const auto &entry : counts)
            visit(entry.first, entry.second);
    }
};

static inline bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline size_t word_end(const std::string &text, size_t from)
{
    while (from < text.size() && is_letter(text[from]))
        from++;
    return from;
}

class Reader
{
  public:
    explicit Reader(const std::string &text) : text_(text) {}
    virtual ~Reader() = default;
    virtual std::string next();
    bool done() const { return at_ >= text_.size(); }

  protected:
    std::string text_;
    size_t at_ = 0;
};

std::string Reader::next()
{
    while (!done() && !is_letter(text_[at_]))
        at_++;
    size_t end = word_end(text_, at_);
    std::string word = text_.substr(at_, end - at_);
    at_ = end;
    return word;
}

static int weigh(const std::string &word)
{
    struct Local {
        static int twice(int x) { return 2 * squeeze("local", x); }
        int operator()(int a, int b) const { return a > b ? a : twice(b); }
    };
    Local larger;
    return larger(static_cast<int>(word.size()), 3);
}

std::vector<std::pair<int, std::string>> rank(const std::string &text)
{
    Tally<std::string> tally;
    Reader reader(text);
    while (!reader.done()) {
        std::string word = reader.next();
        if (!word.empty())
            tally.add(word, weigh(word));
    }
    std::vector<std::pair<int, std::string>> all;
    tally.each([&all](const std::string &word, int n) {
        all.emplace_back(n, word);
    });
    std::sort(all.begin(), all.end(), [](const auto &a, const auto &b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    return all;
}

} // namespace words

int main(int argc, char **argv)
{
    std::string text = "the quick brown fox and the lazy dog";
    int sum = 0;

    for (int i = 1; i < argc; i++)
        text += argv[i];
    try {
        for (const auto &entry : words::rank(text))
            sum += squeeze(entry.second.c_str(), entry.first);
    } catch (const std::exception &) {
        return 1;
    }
    return sum == 0;
}
