/*
 * memory_map - the list of mapped files at the end of a legacy profile.
 *
 * Every legacy reader except the Java ones uses it. It adds mappings to the
 * builder in the order of the lines; mapping_assign.h sorts them and assigns
 * them to locations.
 */
#ifndef CP_MEMORY_MAP_H
#define CP_MEMORY_MAP_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text_lines.h"

struct cp_builder;

/* Whether a line starts a memory map. */
bool cp_memory_map_starts(struct cp_text line);

/* Adds a mapping for each line that describes executable memory. */
enum cp_status cp_memory_map_read(struct cp_builder *b, struct cp_text text,
                                  struct cp_error *err);

/*
 * The last step of every reader. Skips to the memory map unless `line`, the
 * last line read, starts it; reads it; and assigns the mappings to the
 * locations.
 */
enum cp_status cp_memory_map_finish(struct cp_builder *b, struct cp_text line,
                                    struct cp_text rest, struct cp_error *err);

#endif
