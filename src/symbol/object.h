/*
 * object - the code of a mapped file: its functions, instructions and lines.
 *
 * What views of machine code need, in one place: the symbolizer of a file,
 * the table of its functions, and the disassembler, each made when it is
 * first asked for.
 */
#ifndef CP_OBJECT_H
#define CP_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "symbol/table/address_map.h"

struct cp_elf;
struct cp_routines;
struct cp_symbol_frame;

struct cp_object;

/* One instruction. Text and frames live until cp_object_forget or _free. */
struct cp_object_insn {
    uint64_t address; /* of the file */
    size_t size;
    const char *text;
    const struct cp_symbol_frame *frames; /* innermost first */
    size_t n_frames;
};

/* A build id in hexadecimal, "" if there is none; at most CP_BUILD_ID_TEXT. */
#define CP_BUILD_ID_TEXT 129
void cp_object_build_id(const struct cp_elf *e, char *out);

struct cp_object_options {
    const char *build_id; /* expected, hexadecimal; "" for any */
    bool is_intel;        /* syntax */
    /* Finds a debug file that is not in its usual place, by build id; writes
     * its path to out. May be NULL. */
    bool (*find_debug)(void *context, const char *build_id, const char *name,
                       char *out, size_t cap);
    void *context;
};

/* NULL with *err set if the file cannot be used or has another build id. */
struct cp_object *cp_object_new(const char *path,
                                const struct cp_object_options *options,
                                struct cp_error *err);
void cp_object_free(struct cp_object *o);

/* How addresses of a mapping become those of the file. */
struct cp_address_map cp_object_map(const struct cp_object *o,
                                    struct cp_address_range range,
                                    const char *name);

const struct cp_routines *cp_object_routines(const struct cp_object *o);

/* A piece of code that is wanted, and what was read of it. */
struct cp_object_range {
    uint64_t start, end;
    struct cp_object_insn *insns;
    size_t n;
};

/*
 * Reads the instructions of some pieces, with their lines. It is quicker for
 * many at once than for one after the other; cp_object_forget gives the
 * memory of all that was read back.
 */
enum cp_status cp_object_read(struct cp_object *o,
                              struct cp_object_range *ranges, size_t n,
                              struct cp_error *err);
void cp_object_forget(struct cp_object *o);

#endif
