/*
 * escape - writes text of a profile inside JSON, XML and CSV.
 *
 * Names come from input files and may contain any bytes. In JSON and XML,
 * invalid UTF-8 becomes U+FFFD; CSV keeps every byte.
 */
#ifndef CP_ESCAPE_H
#define CP_ESCAPE_H

#include "base/strtab.h"

struct cp_out;

/* Writes a JSON string, with quotes. */
void cp_escape_json(struct cp_out *out, struct cp_str text);

/*
 * Writes a string for an XML element or attribute. Characters that XML cannot
 * represent become U+FFFD.
 */
void cp_escape_xml(struct cp_out *out, struct cp_str text);

/* Writes a string as a field of RFC 4180, quoted only if necessary. */
void cp_escape_csv(struct cp_out *out, struct cp_str text);

#endif
