/*
 * call_site_check.c - decodes the call instruction before a return address and
 * finds the start of a function, on x86-64.
 */
#include "runtime/stacks/call_site_check.h"

#include <string.h>

#include "base/assert/assert.h"
#include "runtime/os/read_memory.h"
#include "signal/unwinder/unwind_table.h"

#ifdef __x86_64__

#define CALL_BYTES 8 /* the longest call has 7 */
#define BUFFER_BYTES 4096
#define MAX_FUNCTION_BYTES ((uintptr_t)1 << 20)

static bool read_code(uintptr_t at, void *to, size_t n)
{
    return cp_read_memory(at, to, n) == (long)n;
}

/*
 * Reads the word at a RIP-relative operand: `displacement` points to its four
 * bytes, `end` is the end of the instruction. Returns 0 if it is not readable.
 */
static uintptr_t read_operand(const unsigned char *displacement, uintptr_t end)
{
    uintptr_t word;
    int32_t by;

    memcpy(&by, displacement, sizeof(by));
    return read_code(end + (uintptr_t)(intptr_t)by, &word, sizeof(word)) ? word
                                                                         : 0;
}

/* Returns the target of a PLT stub, or the address itself if it is not one. */
static uintptr_t skip_plt_stub(uintptr_t at)
{
    static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
    unsigned char code[16];
    size_t i = 0;

    if (!read_code(at, code, sizeof(code)))
        return at;
    if (memcmp(code, endbr64, sizeof(endbr64)) == 0)
        i = sizeof(endbr64);
    if (code[i] == 0xf2) /* bnd prefix */
        i++;
    if (code[i] != 0xff || code[i + 1] != 0x25) /* jmp *disp(%rip) */
        return at;
    CP_ASSERT(i + 6 <= sizeof(code));
    return read_operand(code + i + 2, at + i + 6);
}

/* Whether a call ends at return_address; *out is its target, 0 if unknown. */
static bool decode_call(uintptr_t return_address, uintptr_t *out)
{
    static const int lengths[] = { 2, 3, 4, 6, 7 };
    unsigned char code[CALL_BYTES];
    const unsigned char *end = code + CALL_BYTES;
    int32_t by;

    *out = 0;
    if (!read_code(return_address - CALL_BYTES, code, sizeof(code)))
        return false;
    if (end[-5] == 0xe8) { /* call disp */
        memcpy(&by, end - 4, sizeof(by));
        *out = skip_plt_stub(return_address + (uintptr_t)(intptr_t)by);
        return true;
    }
    if (end[-6] == 0xff && end[-5] == 0x15) { /* call *disp(%rip) */
        *out = read_operand(end - 4, return_address);
        return true;
    }
    /* ff /2: a call through a register or memory */
    for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
        if (end[-lengths[i]] == 0xff && (end[1 - lengths[i]] >> 3 & 7) == 2)
            return true;
    return false;
}

/*
 * Counts the prologues "push %rbp; mov %rsp,%rbp" in a range; -1 if it cannot
 * be read.
 */
static int count_prologues(uintptr_t start, uintptr_t end)
{
    static const unsigned char prologue[] = { 0x55, 0x48, 0x89, 0xe5 };
    unsigned char code[BUFFER_BYTES];
    int n = 0;

    while (start + sizeof(prologue) <= end) {
        size_t len = end - start < BUFFER_BYTES ? end - start : BUFFER_BYTES;

        if (!read_code(start, code, len))
            return -1;
        for (size_t i = 0; i + sizeof(prologue) <= len; i++)
            n += memcmp(code + i, prologue, sizeof(prologue)) == 0;
        start += len - sizeof(prologue) + 1;
    }
    return n;
}

/*
 * Whether the code from start to pc has exactly one prologue, that of the
 * function.
 */
static bool is_function_start(uintptr_t start, uintptr_t pc)
{
    return start <= pc && pc - start < MAX_FUNCTION_BYTES &&
           count_prologues(start, pc) == 1;
}

enum cp_call_site_result cp_call_site_check(const struct cp_unwind_table *map,
                                            uintptr_t return_address,
                                            uintptr_t pc)
{
    const struct cp_unwind_module *own =
        cp_unwind_table_find(map, (uintptr_t)cp_call_site_check);
    bool is_own = own && own == cp_unwind_table_find(map, pc);
    uintptr_t target;

    /* The library calls no program function that sleeps: the word is stale. */
    if (!own || (!is_own && own == cp_unwind_table_find(map, return_address)) ||
        !decode_call(return_address, &target))
        return CP_CALL_SITE_NO;
    if (!target)
        return CP_CALL_SITE_UNKNOWN;
    /* A call of a hook counts: the hook has jumped to the function. */
    return is_function_start(target, pc) ||
                   (!is_own && own == cp_unwind_table_find(map, target))
               ? CP_CALL_SITE_YES
               : CP_CALL_SITE_NO;
}
#else
enum cp_call_site_result cp_call_site_check(const struct cp_unwind_table *map,
                                            uintptr_t return_address,
                                            uintptr_t pc)
{
    (void)map, (void)return_address, (void)pc;
    return CP_CALL_SITE_NO;
}
#endif
