/*
 * resident_pages - which pages of the program's memory are resident or swapped.
 *
 * A page that was never written contains no pointer. Reading it would make the
 * kernel allocate page tables, gigabytes of them for large reserved mappings.
 * If the program handles its page faults itself (userfaultfd), the reader would
 * wait for it. So the leak scan asks /proc/self/pagemap first.
 *
 * Context: the thread that scans for leaks. Locking: none; one user at a time.
 * Failure: see cp_resident_pages_find.
 */
#ifndef CP_RESIDENT_PAGES_H
#define CP_RESIDENT_PAGES_H

#include <stdbool.h>
#include <stdint.h>

struct cp_error;
struct cp_resident_pages;

/* Returns NULL without memory. */
struct cp_resident_pages *cp_resident_pages_new(struct cp_error *err);
void cp_resident_pages_free(struct cp_resident_pages *p);

/*
 * Discards cached entries. If only_anonymous is set, pages of a file or of
 * shared memory do not count: in a read-only private mapping, the remaining
 * pages are those that the program has written.
 */
void cp_resident_pages_reset(struct cp_resident_pages *p, bool only_anonymous);

/*
 * Moves *start to the next page that counts, or to `end`. Returns the end of
 * the run of such pages, at most `end`. If pagemap cannot be read, every page
 * counts, but none if only_anonymous is set.
 */
uintptr_t cp_resident_pages_find(struct cp_resident_pages *p, uintptr_t *start,
                                 uintptr_t end);

#endif
