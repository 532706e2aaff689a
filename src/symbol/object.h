/*
 * object - the code of a mapped file: functions, instructions and lines.
 *
 * Combines the symbolizer, the function table and the disassembler of a file
 * for views of machine code. Each is created on first use.
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

/*
 * One instruction. Text and frames live until cp_object_drop or
 * cp_object_free.
 */
struct cp_object_insn {
    uint64_t address; /* virtual address in the file */
    size_t size;
    const char *text;
    const struct cp_symbol_frame *frames; /* innermost first */
    size_t n_frames;
};

/*
 * Writes the build id in hexadecimal, "" if there is none; out has
 * CP_BUILD_ID_TEXT bytes.
 */
#define CP_BUILD_ID_TEXT 129
void cp_object_build_id(const struct cp_elf *e, char *out);

struct cp_object_options {
    const char *build_id; /* expected build id in hexadecimal; "" accepts any */
    bool is_intel;        /* Intel syntax instead of AT&T */
    /*
     * Finds a debug file by build id outside the usual directories and writes
     * its path to out. May be NULL.
     */
    bool (*find_debug)(void *context, const char *build_id, const char *name,
                       char *out, size_t cap);
    void *context;
};

/*
 * Opens a file. Returns NULL with *err set if the file cannot be used or has a
 * different build id.
 */
struct cp_object *cp_object_new(const char *path,
                                const struct cp_object_options *options,
                                struct cp_error *err);
void cp_object_free(struct cp_object *o);

/*
 * Returns the conversion from addresses of a mapping to addresses of the file.
 */
struct cp_address_map cp_object_map(const struct cp_object *o,
                                    struct cp_address_range range,
                                    const char *name);

const struct cp_routines *cp_object_routines(const struct cp_object *o);

/* A range of code to read, and the resulting instructions. */
struct cp_object_range {
    uint64_t start, end;
    struct cp_object_insn *insns;
    size_t n;
};

/*
 * Reads the instructions of some ranges with their lines. One call for many
 * ranges is faster than one call each; cp_object_drop frees the results.
 */
enum cp_status cp_object_read(struct cp_object *o,
                              struct cp_object_range *ranges, size_t n,
                              struct cp_error *err);
void cp_object_drop(struct cp_object *o);

#endif
