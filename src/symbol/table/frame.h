/*
 * frame - the function, file and line of an address, as a resolver reports it.
 */
#ifndef CP_SYMBOL_FRAME_H
#define CP_SYMBOL_FRAME_H

#include <stddef.h>
#include <stdint.h>

/* One frame of an address; the innermost (inlined) frame comes first. */
struct cp_symbol_frame {
    const char *function; /* linkage name as in the file, or NULL */
    const char *file; /* full path with the compilation directory, or NULL */
    uint32_t line, column;  /* 0 if unknown */
    uint32_t start_line;    /* line of the declaration; 0 if unknown */
    uint32_t discriminator; /* discriminator of the innermost line, or 0 */
};

/*
 * Receives the frames of one address. A resolver calls it once per address, in
 * any order, on the caller's thread; n_frames is 0 for an unknown address. The
 * frames live until cp_symbolizer_close or cp_symbolizer_drop_frames.
 */
typedef void cp_symbol_sink(void *context, size_t index,
                            const struct cp_symbol_frame *frames,
                            size_t n_frames);

#endif
