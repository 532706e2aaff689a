/* unwind_info - finds the code and the CFI of a loaded object. */
#ifndef CP_UNWIND_INFO_H
#define CP_UNWIND_INFO_H

#include <link.h>
#include <stdbool.h>

struct cp_compile_input;
struct dl_phdr_info;

/*
 * Fills in the code range and the bytes of the unwind information; bytes.start
 * is NULL if there is none. Returns false if the object has no code. Call it in
 * a callback of dl_iterate_phdr, whose lock keeps the object mapped.
 */
bool cp_unwind_info_find(const struct dl_phdr_info *info,
                         struct cp_compile_input *out);

#endif
