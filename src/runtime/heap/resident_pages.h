/*
 * leak_present - which pages of the program's memory hold anything.
 *
 * One that was never written to has no pointer in it. To read it would have
 * the kernel make page tables for it, gigabytes of them for the mappings that
 * some programs only reserve; and if the program fills its pages itself
 * (userfaultfd), the reader would wait for it.
 */
#ifndef CP_RESIDENT_PAGES_H
#define CP_RESIDENT_PAGES_H

#include <stdbool.h>
#include <stdint.h>

struct cp_error;
struct cp_resident_pages;

/* NULL: no memory. */
struct cp_resident_pages *cp_resident_pages_new(struct cp_error *err);
void cp_resident_pages_free(struct cp_resident_pages *p);

/*
 * What was learned before is old: asks again. `of_program` is for what cannot
 * be written now: only pages that the program has written itself count, not
 * those of a file.
 */
void cp_resident_pages_forget(struct cp_resident_pages *p, bool of_program);

/*
 * Moves *start to the first page from there on that holds something, or to
 * `end`; returns where such pages end. Where the kernel does not tell, all do,
 * or if they have to be of the program, none.
 */
uintptr_t cp_resident_pages_find(struct cp_resident_pages *p, uintptr_t *start,
                                 uintptr_t end);

#endif
