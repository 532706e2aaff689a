/*
 * escape - text of a profile inside JSON, XML and CSV.
 *
 * Names come from outside and may hold any bytes. In JSON and XML, bytes that
 * are not UTF-8 become U+FFFD; CSV keeps every byte as it is.
 */
#ifndef CP_ESCAPE_H
#define CP_ESCAPE_H

#include "base/strtab.h"

struct cp_out;

/* The text as a JSON string, quotes included. */
void cp_escape_json(struct cp_out *out, struct cp_str text);

/*
 * The text for the inside of an XML element or attribute. Characters that XML
 * cannot hold, escaped or not, become U+FFFD as well.
 */
void cp_escape_xml(struct cp_out *out, struct cp_str text);

/* The text as a field of RFC 4180, in quotes only if it needs them. */
void cp_escape_csv(struct cp_out *out, struct cp_str text);

#endif
