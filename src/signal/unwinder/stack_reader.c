/* stack_reader.c - checks which pages of a stack are readable. */
#include "signal/unwinder/stack_reader.h"

#include <sys/syscall.h>

#include "base/assert/assert.h"
#include "signal/unwinder/syscall.h"

#define INVALID_HOW 0x7fff /* not SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK */
#define EFAULT_RESULT (-14)
#define MAX_GROWTH (64 * CP_STACK_READER_PAGE) /* bytes of pages at a time */

/*
 * rt_sigprocmask copies the new mask in, which fails with EFAULT if the address
 * is not readable; then it rejects the invalid `how`.
 */
bool cp_stack_reader_is_readable(uintptr_t address)
{
    return CP_SYSCALL(SYS_rt_sigprocmask, INVALID_HOW, (long)address, 0, 8) !=
           EFAULT_RESULT;
}

void cp_stack_reader_set_stack(struct cp_stack_reader *r, uintptr_t sp)
{
    r->is_bound = false;
    if (sp >= r->stack_low && sp < r->stack_high) {
        r->low = sp & ~(uintptr_t)7;
        r->high = r->stack_high;
    } else {
        r->low = r->high = 0;
    }
    CP_ASSERT(r->low <= r->high);
}

void cp_stack_reader_bind(struct cp_stack_reader *r, uintptr_t sp)
{
    if (!r->is_bound && sp - r->low >= r->high - r->low)
        r->low = r->high = sp & ~(CP_STACK_READER_PAGE - 1);
    r->is_bound = true;
    CP_ASSERT(r->low <= r->high);
}

/* Extends the range up to that page if all pages in between are readable. */
static bool grow_to(struct cp_stack_reader *r, uintptr_t page)
{
    CP_ASSERT(r->is_bound && r->shift == 0);
    if (r->high == r->stack_high || page < r->high ||
        page - r->high > MAX_GROWTH)
        return false;
    for (; r->high <= page; r->high += CP_STACK_READER_PAGE)
        if (!cp_stack_reader_is_readable(r->high))
            return false;
    return true;
}

bool cp_stack_reader_page(struct cp_stack_reader *r, uintptr_t address)
{
    uintptr_t page = address & ~(CP_STACK_READER_PAGE - 1);

    if (r->shift || page < CP_STACK_READER_PAGE)
        return false;
    if (r->is_bound)
        return grow_to(r, page);
    if (!cp_stack_reader_is_readable(address))
        return false;
    if (page == r->high) {
        r->high += CP_STACK_READER_PAGE;
    } else if (page + CP_STACK_READER_PAGE != r->low) {
        r->low = page;
        r->high = page + CP_STACK_READER_PAGE;
    } else {
        r->low = page;
    }
    CP_ASSERT(r->low <= address && address < r->high);
    return true;
}
