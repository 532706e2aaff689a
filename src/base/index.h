/* index - the 32-bit index that refers to no element. */
#ifndef CP_INDEX_H
#define CP_INDEX_H

#include <stdint.h>

#define CP_NONE UINT32_MAX

#endif
