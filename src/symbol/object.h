/*
 * object - the code of a mapped file: its functions, instructions and lines.
 *
 * What views of machine code need, in one place: the symbolizer of a file,
 * the table of its functions, and the disassembler, each made when it is
 * first asked for.
 */
#ifndef CP_OBJECT_H
#define CP_OBJECT_H

#include "symbol/address_map.h"
#include "symbol/routines.h"
#include "symbol/symbolizer.h"

struct cp_object;

/* One instruction. Text and frames live as long as the object. */
struct cp_object_insn {
    uint64_t address; /* of the file */
    size_t size;
    const char *text;
    const struct cp_symbol_frame *frames; /* innermost first */
    size_t n_frames;
};

/*
 * build_id is hexadecimal; "" for any. NULL with *err set if the file cannot
 * be used or has another build id.
 */
struct cp_object *cp_object_new(const char *path, const char *build_id,
                                bool is_intel, struct cp_error *err);
void cp_object_free(struct cp_object *o);

/* How addresses of a mapping become those of the file. */
struct cp_address_map cp_object_map(const struct cp_object *o,
                                    struct cp_address_range range,
                                    const char *name);

const struct cp_routines *cp_object_routines(const struct cp_object *o);

/* The instructions from start to end, with their lines. */
enum cp_status cp_object_read(struct cp_object *o, uint64_t start, uint64_t end,
                              struct cp_object_insn **out, size_t *out_n,
                              struct cp_error *err);

#endif
