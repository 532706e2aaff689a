/*
 * floor.c - the minimal work of any reader of a profile.
 *
 *     floor FILE...
 *
 * Reads each file, inflates it with libdeflate and adds up its bytes. All other
 * cost of a report is that of the tool.
 */
#include <libdeflate.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(const char *path, const char *what)
{
    fprintf(stderr, "floor: %s: %s\n", path, what);
    exit(1);
}

static uint8_t *read_file(const char *path, size_t *out_len)
{
    FILE *file = fopen(path, "rb");

    if (!file || fseek(file, 0, SEEK_END) != 0)
        die(path, "cannot be read");

    long len = ftell(file);
    uint8_t *data = len < 18 ? NULL : malloc((size_t)len);

    rewind(file);
    if (!data || fread(data, 1, (size_t)len, file) != (size_t)len)
        die(path, "cannot be read, or too short for gzip");
    (void)fclose(file);
    *out_len = (size_t)len;
    return data;
}

/* The last four bytes of a gzip file are the size of its content. */
static uint64_t sum_file(const char *path,
                         struct libdeflate_decompressor *inflater)
{
    size_t packed_len;
    uint8_t *packed = read_file(path, &packed_len);
    uint32_t len;

    memcpy(&len, packed + packed_len - sizeof len, sizeof len);

    uint8_t *plain = malloc(len ? len : 1);
    uint64_t sum = 0;

    if (!plain || libdeflate_gzip_decompress(inflater, packed, packed_len,
                                             plain, len, NULL) != 0)
        die(path, "cannot be inflated");
    for (uint32_t i = 0; i < len; i++)
        sum += plain[i];
    free(plain);
    free(packed);
    return sum;
}

int main(int argc, char **argv)
{
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    uint64_t sum = 0;

    if (!inflater)
        die("start", "out of memory");
    for (int i = 1; i < argc; i++)
        sum += sum_file(argv[i], inflater);
    printf("%llu\n", (unsigned long long)sum);
    libdeflate_free_decompressor(inflater);
    return 0;
}
