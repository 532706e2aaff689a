/*
 * java_locations - the name table at the end of Java's legacy profiles.
 *
 * Addresses of Java code mean nothing after the process has exited. Such a
 * profile numbers its frames and lists the name of each number. The readers of
 * Java's text profiles and of its binary CPU profile use it.
 */
#ifndef CP_JAVA_LOCATIONS_H
#define CP_JAVA_LOCATIONS_H

#include "base/error.h"
#include "base/text_lines.h"

struct cp_builder;

/*
 * Reads the table to the end of the text and names the locations listed there;
 * the others get a mapping, as in any legacy profile. All addresses become 0.
 * It must be the last call on a builder.
 */
enum cp_status cp_java_locations_read(struct cp_builder *b, struct cp_text text,
                                      struct cp_error *err);

#endif
