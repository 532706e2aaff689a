/* formats.c - finds a trace format by name (step.h). */
#include <string.h>

#include "trace/step.h"

const struct cp_trace_format *cp_trace_format_find(const char *name)
{
    static const struct cp_trace_format *const formats[] = {
        &cp_trace_go,
        &cp_trace_perfetto,
        &cp_trace_chrome,
    };

    if (!*name)
        return &cp_trace_go;
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}
