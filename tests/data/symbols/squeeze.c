/* The C half of words.cpp: inlined static functions, a switch, a loop. */
struct state {
    unsigned hash, length;
};

static inline unsigned turn(unsigned x, int by)
{
    return x << by | x >> (32 - by);
}

static inline void take(struct state *s, char c)
{
    s->hash = turn(s->hash ^ (unsigned char)c, 5) * 0x9e3779b9u;
    s->length++;
}

static __attribute__((noinline)) int weigh(const struct state *s, int n)
{
    switch (n & 7) {
    case 0:
        return (int)(s->hash >> 3);
    case 1:
        return (int)(s->hash % 1000);
    case 2:
        return (int)s->length;
    case 5:
        return (int)turn(s->hash, n & 15);
    default:
        return n;
    }
}

int squeeze(const char *text, int n);

int squeeze(const char *text, int n)
{
    struct state s = { 17, 0 };

    while (*text)
        take(&s, *text++);
    for (int i = 0; i < n; i++)
        take(&s, (char)i);
    return weigh(&s, n);
}
