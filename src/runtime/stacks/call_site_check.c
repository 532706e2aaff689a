/* call_site_check.c - see call_site_check.h. */
#include "runtime/stacks/call_site_check.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "signal/unwinder/unwind_table.h"

#ifdef __x86_64__

#define CALL_BYTES 8 /* more than the longest call has */
#define PIECE 4096
#define LONGEST_FUNCTION ((uintptr_t)1 << 20)

/* Of code that may be unmapped meanwhile. */
static bool read_code(uintptr_t at, void *to, size_t n)
{
    struct iovec local = { to, n }, remote = { (void *)at, n };

    return process_vm_readv(gettid(), &local, 1, &remote, 1, 0) == (ssize_t)n;
}

/* The word to which four bytes of an instruction lead, from its end on. */
static uintptr_t word_at(const unsigned char *offset, uintptr_t end)
{
    uintptr_t word;
    int32_t by;

    memcpy(&by, offset, sizeof(by));
    return read_code(end + (uintptr_t)(intptr_t)by, &word, sizeof(word)) ? word
                                                                         : 0;
}

/* Where a stub of the PLT leads; the address itself if it is none. */
static uintptr_t behind_stub(uintptr_t at)
{
    static const unsigned char landing[] = { 0xf3, 0x0f, 0x1e, 0xfa };
    unsigned char code[16];
    size_t i = 0;

    if (!read_code(at, code, sizeof(code)))
        return at;
    if (memcmp(code, landing, sizeof(landing)) == 0)
        i = sizeof(landing);
    if (code[i] == 0xf2) /* a prefix that such stubs may have */
        i++;
    if (code[i] != 0xff || code[i + 1] != 0x25)
        return at;
    return word_at(code + i + 2, at + i + 6);
}

/* Does a call end at `back`? Sets what it calls, 0 if that is not told. */
static bool find_called(uintptr_t back, uintptr_t *out)
{
    static const int lengths[] = { 2, 3, 4, 6, 7 };
    unsigned char code[CALL_BYTES];
    const unsigned char *end = code + CALL_BYTES;
    int32_t by;

    *out = 0;
    if (!read_code(back - CALL_BYTES, code, sizeof(code)))
        return false;
    if (end[-5] == 0xe8) {
        memcpy(&by, end - 4, sizeof(by));
        *out = behind_stub(back + (uintptr_t)(intptr_t)by);
        return true;
    }
    if (end[-6] == 0xff && end[-5] == 0x15) {
        *out = word_at(end - 4, back);
        return true;
    }
    for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
        if (end[-lengths[i]] == 0xff && (end[1 - lengths[i]] >> 3 & 7) == 2)
            return true;
    return false;
}

/* Frame pointers that are set up in a range: push %rbp; mov %rsp,%rbp. */
static int count_frames(uintptr_t start, uintptr_t end)
{
    static const unsigned char set_up[] = { 0x55, 0x48, 0x89, 0xe5 };
    unsigned char code[PIECE];
    int n = 0;

    while (start + sizeof(set_up) <= end) {
        size_t len = end - start < PIECE ? end - start : PIECE;

        if (!read_code(start, code, len))
            return -1;
        for (size_t i = 0; i + sizeof(set_up) <= len; i++)
            n += memcmp(code + i, set_up, sizeof(set_up)) == 0;
        start += len - sizeof(set_up) + 1;
    }
    return n;
}

/* Up to pc there is that function's frame and no other's. */
static bool is_start_of(uintptr_t start, uintptr_t pc)
{
    return start <= pc && pc - start < LONGEST_FUNCTION &&
           count_frames(start, pc) == 1;
}

enum cp_call_site_result cp_call_site_check(const struct cp_unwind_table *map,
                                            uintptr_t back, uintptr_t pc)
{
    const struct cp_unwind_module *own =
        cp_unwind_table_find(map, (uintptr_t)cp_call_site_check);
    bool is_ours = own && own == cp_unwind_table_find(map, pc);
    uintptr_t called;

    /* Ours never wait in a function of the program: such calls have ended. */
    if (!own || (!is_ours && own == cp_unwind_table_find(map, back)) ||
        !find_called(back, &called))
        return CP_CALL_SITE_NO;
    if (!called)
        return CP_CALL_SITE_UNKNOWN;
    /* Or a hook of ours was called, and has gone on to the function. */
    return is_start_of(called, pc) ||
                   (!is_ours && own == cp_unwind_table_find(map, called))
               ? CP_CALL_SITE_YES
               : CP_CALL_SITE_NO;
}
#else
enum cp_call_site_result cp_call_site_check(const struct cp_unwind_table *map,
                                            uintptr_t back, uintptr_t pc)
{
    (void)map, (void)back, (void)pc;
    return CP_CALL_SITE_NO;
}
#endif
