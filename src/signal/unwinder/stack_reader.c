/* stack_reader.c - see stack_reader.h. */
#include "signal/unwinder/stack_reader.h"

#include <sys/syscall.h>

#include "signal/unwinder/syscall.h"

#define NO_SUCH_HOW 0x7fff
#define EFAULT_RESULT (-14)
#define FURTHEST                                                               \
    (64 * CP_STACK_READER_PAGE) /* that a stack is followed at once */

/*
 * rt_sigprocmask copies the new mask in before it looks at `how`, which is
 * none that it knows.
 */
bool cp_stack_reader_is_readable(uintptr_t address)
{
    return CP_SYSCALL(SYS_rt_sigprocmask, NO_SUCH_HOW, (long)address, 0, 8) !=
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
}

void cp_stack_reader_bind(struct cp_stack_reader *r, uintptr_t sp)
{
    if (!r->is_bound && sp - r->low >= r->high - r->low)
        r->low = r->high = sp & ~(CP_STACK_READER_PAGE - 1);
    r->is_bound = true;
}

/* Up to that page, if all on the way are there. */
static bool grow_to(struct cp_stack_reader *r, uintptr_t page)
{
    if (r->high == r->stack_high || page < r->high || page - r->high > FURTHEST)
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
    return true;
}
