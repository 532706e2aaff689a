/*
 * memory_map - the list of mapped files at the end of a legacy profile.
 *
 * Used by every legacy reader but the Java ones. Reading adds mappings to the
 * builder just as the lines have them; mapping_assign.h then puts them in
 * order and gives each location its mapping.
 */
#ifndef CP_MEMORY_MAP_H
#define CP_MEMORY_MAP_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text_lines.h"

struct cp_builder;

/* Whether a line announces a memory map. */
bool cp_memory_map_starts(struct cp_text line);

/* Adds a mapping for each line that describes executable memory. */
enum cp_status cp_memory_map_read(struct cp_builder *b, struct cp_text text,
                                  struct cp_error *err);

/*
 * What ends every reader: skips to the memory map, unless `line`, the last
 * one read, has announced it; reads it; and assigns the locations.
 */
enum cp_status cp_memory_map_finish(struct cp_builder *b, struct cp_text line,
                                    struct cp_text rest, struct cp_error *err);

#endif
