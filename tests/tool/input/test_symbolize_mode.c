/* test_symbolize_mode.c - tests src/tool/input/symbolize_mode.c. */
#include "tool/input/symbolize_mode.h"

#include "check.h"

static const struct {
    const char *text;
    bool is_known, is_none, is_local, is_fast, is_remote, is_forced;
    enum cp_demangle_mode demangle;
} modes[] = {
    { "", true, false, true, false, true, false, CP_DEMANGLE_SIMPLE },
    { "none", true, true, true, false, true, false, CP_DEMANGLE_SIMPLE },
    { "No", true, true, true, false, true, false, CP_DEMANGLE_SIMPLE },
    { "local", true, false, true, false, false, false, CP_DEMANGLE_SIMPLE },
    { "fastlocal", true, false, true, true, false, false, CP_DEMANGLE_SIMPLE },
    { "remote", true, false, false, false, true, false, CP_DEMANGLE_SIMPLE },
    { "force", true, false, true, false, true, true, CP_DEMANGLE_SIMPLE },
    { "Remote:Force", true, false, false, false, true, true,
      CP_DEMANGLE_SIMPLE },
    { "demangle=full", true, false, true, false, true, true, CP_DEMANGLE_FULL },
    { "local:demangle=none", true, false, true, false, false, true,
      CP_DEMANGLE_NONE },
    { "demangle=templates:", true, false, true, false, true, true,
      CP_DEMANGLE_TEMPLATES },
    { "demangle=default", true, false, true, false, true, false,
      CP_DEMANGLE_SIMPLE },
    { "demangle=x", false, false, true, false, true, false,
      CP_DEMANGLE_SIMPLE },
    { "bogus:local", false, false, true, false, false, false,
      CP_DEMANGLE_SIMPLE },
};

int main(void)
{
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        struct cp_symbolize_mode m;

        check_case(modes[i].text);
        CHECK_INT(cp_symbolize_mode_read(&m, modes[i].text), modes[i].is_known);
        CHECK_INT(m.is_none, modes[i].is_none);
        CHECK_INT(m.is_local, modes[i].is_local);
        CHECK_INT(m.is_fast, modes[i].is_fast);
        CHECK_INT(m.is_remote, modes[i].is_remote);
        CHECK_INT(m.is_forced, modes[i].is_forced);
        CHECK_INT(m.demangle, modes[i].demangle);
    }
    return check_failures != 0;
}
