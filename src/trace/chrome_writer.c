/* stub */
#include "trace/step.h"
const struct cp_trace_format cp_trace_chrome={.name="chrome"};
