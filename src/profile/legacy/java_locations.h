/*
 * java_locations - the table of names at the end of Java's legacy profiles.
 *
 * Java programs have no addresses that would mean anything afterwards, so
 * their profiles number the frames and list what each number stands for. Used
 * by the readers of Java's text profiles and of its binary CPU profile.
 */
#ifndef CP_JAVA_LOCATIONS_H
#define CP_JAVA_LOCATIONS_H

#include "base/error.h"
#include "base/text_lines.h"

struct cp_builder;

/*
 * Reads the table to the end of the text and names the locations that it
 * knows; the others get a mapping, as in any legacy profile. All addresses
 * become 0. The last thing to be done to a builder.
 */
enum cp_status cp_java_locations_read(struct cp_builder *b, struct cp_text text,
                                      struct cp_error *err);

#endif
