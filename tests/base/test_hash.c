/* test_hash.c - tests src/base/hash.h: regular input is distributed evenly. */
#include "base/hash.h"

#include <stdlib.h>

#include "check.h"

#define BUCKETS 1024
#define PER_BUCKET 16
#define KEYS (BUCKETS * PER_BUCKET)

static uint64_t counting(uint64_t i)
{
    return cp_hash_mix(i, 0);
}

static uint64_t pages(uint64_t i)
{
    return cp_hash_mix(i << 12, 1);
}

static uint64_t high_words(uint64_t i)
{
    return cp_hash_mix(i << 48 | 7, 0);
}

static uint64_t second_argument(uint64_t i)
{
    return cp_hash_mix(0, i << 32);
}

static uint64_t bytes_of(uint64_t i, size_t len)
{
    char text[40];

    memset(text, 'x', sizeof(text));
    memcpy(text + len / 2 - 1, &i, 2);
    return cp_hash_bytes(text, len);
}

static uint64_t two_bytes(uint64_t i)
{
    return cp_hash_bytes(&i, 2);
}

static uint64_t five_bytes(uint64_t i)
{
    return bytes_of(i, 5);
}

static uint64_t twelve_bytes(uint64_t i)
{
    return bytes_of(i, 12);
}

static uint64_t forty_bytes(uint64_t i)
{
    return bytes_of(i, 40);
}

static const struct {
    const char *what;
    uint64_t (*hash)(uint64_t i);
} spreads[] = {
    { "counting", counting },
    { "pages", pages },
    { "only high bits differ", high_words },
    { "the other argument", second_argument },
    { "text of 2 bytes", two_bytes },
    { "text of 5 bytes", five_bytes },
    { "text of 12 bytes", twelve_bytes },
    { "text of 40 bytes", forty_bytes },
};

/* No bucket of the low bits has more than four times its share. */
static void test_spread(void)
{
    static unsigned count[BUCKETS];

    for (size_t k = 0; k < sizeof(spreads) / sizeof(spreads[0]); k++) {
        unsigned most = 0, empty = 0;

        check_case(spreads[k].what);
        memset(count, 0, sizeof(count));
        for (uint64_t i = 0; i < KEYS; i++)
            count[spreads[k].hash(i) % BUCKETS]++;
        for (size_t i = 0; i < BUCKETS; i++) {
            most = count[i] > most ? count[i] : most;
            empty += count[i] == 0;
        }
        CHECK(most <= 4 * PER_BUCKET);
        CHECK(empty <= BUCKETS / 64);
    }
}

/* Each byte and the length affect the hash. */
static void test_every_byte_counts(void)
{
    unsigned char text[70] = { 0 };

    for (size_t len = 1; len <= sizeof(text); len++) {
        uint64_t plain = cp_hash_bytes(text, len);

        CHECK(plain != cp_hash_bytes(text, len - 1));
        for (size_t i = 0; i < len; i++) {
            text[i] = 1;
            CHECK(cp_hash_bytes(text, len) != plain);
            text[i] = 0;
        }
    }
}

/* Reads nothing outside of the text; the sanitizer would report it. */
static void test_stays_inside(void)
{
    for (size_t len = 0; len < 40; len++) {
        char *text = malloc(len ? len : 1);

        memset(text, 'a', len);
        CHECK(cp_hash_bytes(text, len) == cp_hash_bytes(text, len));
        free(text);
    }
    CHECK(cp_hash_bytes(NULL, 0) == cp_hash_bytes("", 0));
}

int main(void)
{
    RUN(test_spread);
    RUN(test_every_byte_counts);
    RUN(test_stays_inside);
    return check_failures != 0;
}
