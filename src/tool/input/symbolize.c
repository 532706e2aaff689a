/*
 * symbolize.c - runs file and remote symbolization, then demangles the names.
 */
#include "tool/input/symbolize.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/model/line_adder.h"
#include "profile/model/profile.h"
#include "symbol/demangle/demangle_d.h"
#include "tool/cli/command.h"
#include "tool/input/remote_symbols.h"
#include "tool/input/symbolize_file.h"
#include "tool/input/symbolize_mode.h"

#define MAX_NAME ((size_t)16 << 10) /* bytes of a demangled name */

/* Whether a function's name is not demangled yet. */
static bool is_raw(const struct cp_function *f)
{
    return f->system_name != 0 && (f->name == 0 || f->name == f->system_name);
}

/* Demangles a name into out; returns false if the name does not change. */
static bool demangle_name(const char *name, enum cp_demangle_mode mode,
                          char *out)
{
    if (cp_demangle(name, mode, out, MAX_NAME))
        return true;
    if (strlen(name) >= MAX_NAME)
        return false;
    cp_demangle_strip(strcpy(out, name), mode);
    return strcmp(name, out) != 0;
}

static enum cp_status demangle_all(struct cp_profile *p,
                                   const struct cp_symbolize_mode *mode,
                                   struct cp_error *err)
{
    char *out = cp_alloc(MAX_NAME, 1, err);
    enum cp_status status = out ? CP_OK : CP_ENOMEM;

    cp_demangle_also(cp_demangle_d);
    for (uint32_t i = 0; status == CP_OK && i < p->n_functions; i++) {
        struct cp_function *f = &p->functions[i];

        if (mode->is_forced && f->system_name != 0 && f->name != 0)
            f->name = f->system_name;
        if (mode->demangle == CP_DEMANGLE_NONE || !is_raw(f))
            continue;
        f->name = f->system_name;
        if (!demangle_name(cp_profile_cstr(p, f->system_name), mode->demangle,
                           out))
            continue;
        f->name = cp_strtab_add(&p->strings, out, strlen(out), err);
        if (f->name == CP_NO_STR)
            status = CP_ENOMEM;
    }
    cp_free(out);
    return status;
}

static void warn_of_mode(const char *text, cp_warn warn, void *context)
{
    char line[512];

    (void)snprintf(line, sizeof(line),
                   "ignoring unrecognized symbolization option: %s", text);
    warn(context, line);
    warn(context, "expecting -symbolize=[local|fastlocal|remote|none][:force]"
                  "[:demangle=[none|full|templates|default]");
}

enum cp_status cp_symbolize(struct cp_profile *p, const struct cp_command *c,
                            const struct cp_remote *remote, cp_warn warn,
                            void *context, struct cp_error *err)
{
    struct cp_symbolize_mode mode;
    struct cp_line_adder adder;
    enum cp_status status;

    if (!cp_symbolize_mode_read(&mode, c->symbolize))
        warn_of_mode(c->symbolize, warn, context);
    if (mode.is_none)
        return CP_OK;
    status = cp_line_adder_init(&adder, p, err);
    if (status == CP_OK && mode.is_local)
        status = cp_symbolize_files(&adder, &mode, warn, context, err);
    if (status == CP_OK && mode.is_remote && remote)
        status = cp_remote_symbolize(remote, &adder, c, mode.is_forced, warn,
                                     context, err);
    cp_line_adder_release(&adder);
    return status == CP_OK ? demangle_all(p, &mode, err) : status;
}
