/*
 * fields - the options that a page can set: their names in the URL and in the
 * file of saved configurations.
 *
 * Both are google/pprof's names. Options without a URL parameter there
 * (tagroot, tagleaf) use the name of their flag.
 */
#ifndef CP_WEB_FIELDS_H
#define CP_WEB_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

struct cp_options;
struct cp_out;

enum cp_web_field_kind {
    CP_FIELD_TEXT,
    CP_FIELD_FLAG,
    CP_FIELD_COUNT,
    CP_FIELD_FRACTION,
    CP_FIELD_SORT,
    CP_FIELD_GRANULARITY,
};

struct cp_web_field {
    const char *key;   /* URL parameter, or NULL */
    const char *saved; /* name in the file; NULL if not saved */
    enum cp_web_field_kind kind;
    size_t offset; /* offset in struct cp_options, bytes */
};

/* In the order in which they are saved. */
extern const struct cp_web_field cp_web_fields[];
extern const size_t cp_web_n_fields;

/*
 * Sets the option to a value of the URL; borrows the string. Returns false for
 * an invalid value.
 */
bool cp_web_field_set(const struct cp_web_field *f, struct cp_options *o,
                      const char *value);

/*
 * Writes the option's value as JSON. Returns false without writing if it is
 * empty, false or zero.
 */
bool cp_web_field_write(const struct cp_web_field *f,
                        const struct cp_options *o, struct cp_out *out);

#endif
