/* survey - finds the code of a loaded object and its unwind information. */
#ifndef CP_UNWIND_INFO_H
#define CP_UNWIND_INFO_H

#include <link.h>
#include <stdbool.h>

struct cp_compile_input;
struct dl_phdr_info;

/*
 * Fills in where both are; bytes.start is NULL if there is no information.
 * False if there is no code. For the callback of dl_iterate_phdr, which keeps
 * the object from being unmapped.
 */
bool cp_unwind_info_find(const struct dl_phdr_info *info,
                         struct cp_compile_input *out);

#endif
