/*
 * speedscope.c - reads speedscope files.
 *
 * {"shared":{"frames":[{"name","file","line","col"}]},"profiles":[...]}. A
 * profile is either "sampled" (stacks of frame numbers, root first, and a list
 * of weights) or "evented" (frames are opened and closed at a time, and time
 * counts for the open frames). Its unit is a time, bytes or none.
 *
 * Each unit becomes a value. If a file has several profiles (usually threads),
 * the label "profile" has their names. In files of `pprof -speedscope` each
 * profile is a value of the same samples, and its name is the type.
 */
#include "base/alloc.h"
#include "base/index.h"
#include "import/gather.h"
#include "import/readers.h"

#include <fcntl.h>
#include <string.h>

/* Maximum distance of a closed frame from the innermost; see close_frame. */
#define MAX_OUT_OF_ORDER 64

struct reader {
    struct cp_gather g;
    struct cp_arena arena;
    uint32_t *frames; /* location by frame number */
    uint32_t n_frames;
    bool is_pprof_file;
    bool has_names; /* several profiles, distinguished by labels */
    struct cp_error *err;
};

/* Members of a profile. */
enum { TYPE, NAME, UNIT, SAMPLES, WEIGHTS, EVENTS, END, N_PARTS };

struct part {
    struct cp_json at[N_PARTS];
    uint32_t column, label_set;
    double scale; /* factor to the column's unit */
};

static uint32_t read_frame(struct reader *r, struct cp_json *j)
{
    static const char *const names[] = { "name", "file", "line", "col" };
    struct cp_gather_frame f = { .mapping = CP_NONE };
    struct cp_json at[4];
    struct cp_text name, file = { 0 };
    uint32_t line;

    cp_json_pick(j, names, 4, at);
    name = cp_json_text(&at[0], &r->arena);
    if (!name.pos) {
        cp_json_fail(j, "a frame has no name; it ends");
        return CP_NONE;
    }
    if (cp_json_is(&at[1], CP_JSON_STRING))
        file = cp_json_string(&at[1]);
    if (cp_json_is(&at[2], CP_JSON_NUMBER)) {
        line = cp_json_index(&at[2]);
        f.line = line < CP_NONE - 1 ? line : 0;
    }
    if (cp_json_is(&at[3], CP_JSON_NUMBER)) {
        line = cp_json_index(&at[3]);
        f.column = line < CP_NONE - 1 ? line : 0;
    }
    f.function = cp_gather_function(&r->g, name, file, 0, r->err);
    return f.function == CP_NONE ? CP_NONE : cp_gather_frame(&r->g, &f, r->err);
}

static enum cp_status read_frames(struct reader *r, struct cp_json shared)
{
    static const char *const names[] = { "frames" };
    struct cp_json at;
    size_t cap = 0;

    cp_json_pick(&shared, names, 1, &at);
    if (!at.doc)
        cp_json_fail(&shared, "shared has no frames; it ends");
    if (!cp_json_enter(&at, CP_JSON_ARRAY))
        return cp_json_status(shared.doc, r->err);
    while (cp_json_item(&at)) {
        uint32_t location = read_frame(r, &at);

        if (location == CP_NONE)
            return at.doc->err.status ? cp_json_status(at.doc, r->err)
                                      : CP_ENOMEM;
        if (cp_reserve(&r->frames, &cap, (size_t)r->n_frames + 1,
                       sizeof(*r->frames), r->err) != CP_OK)
            return CP_ENOMEM;
        r->frames[r->n_frames++] = location;
    }
    return cp_json_status(at.doc, r->err);
}

/*
 * Returns the location of a frame number; CP_NONE and an error in the document
 * on failure.
 */
static uint32_t frame_at(const struct reader *r, struct cp_json *j)
{
    struct cp_json start = *j;
    uint32_t i = cp_json_index(j);

    if (i < r->n_frames)
        return r->frames[i];
    cp_json_fail(&start, "frame does not exist");
    return CP_NONE;
}

static enum cp_status add_value(struct reader *r, const struct part *p,
                                uint32_t node, double value)
{
    uint32_t row = cp_gather_row(&r->g, node, p->label_set, r->err);

    if (row == CP_NONE)
        return CP_ENOMEM;
    return cp_gather_add_real(&r->g, row, p->column, value * p->scale, r->err);
}

/* Reads a list of frame numbers, root first. */
static uint32_t read_stack(struct reader *r, struct cp_json *j)
{
    uint32_t node = CP_GATHER_ROOT;

    if (!cp_json_enter(j, CP_JSON_ARRAY))
        return CP_NONE;
    while (cp_json_item(j)) {
        uint32_t location = frame_at(r, j);

        if (location == CP_NONE || node == CP_NONE)
            return CP_NONE;
        node = cp_gather_call(&r->g, node, location, r->err);
    }
    return j->doc->err.status == CP_OK ? node : CP_NONE;
}

static enum cp_status read_sampled(struct reader *r, struct part *p)
{
    struct cp_json *samples = &p->at[SAMPLES], *weights = &p->at[WEIGHTS];
    bool has_weights = cp_json_is(weights, CP_JSON_ARRAY);

    if (!cp_json_enter(samples, CP_JSON_ARRAY) ||
        (has_weights && !cp_json_enter(weights, CP_JSON_ARRAY)))
        return CP_EFORMAT;
    while (cp_json_item(samples)) {
        uint32_t node = read_stack(r, samples);
        double weight = 1;

        if (node == CP_NONE)
            return CP_EFORMAT;
        if (has_weights && !cp_json_item(weights)) {
            cp_json_fail(weights, "fewer weights than samples");
            return CP_EFORMAT;
        }
        if (has_weights)
            weight = cp_json_number(weights);
        if (samples->doc->err.status != CP_OK ||
            add_value(r, p, node, weight) != CP_OK)
            return CP_EFORMAT;
    }
    return samples->doc->err.status;
}

struct event {
    bool is_open;
    uint32_t location;
    double at;
};

static struct event read_event(struct reader *r, struct cp_json *j)
{
    static const char *const names[] = { "type", "frame", "at" };
    struct cp_json start = *j, at[3];
    struct event e = { .location = CP_NONE };
    struct cp_text type;

    cp_json_pick(j, names, 3, at);
    if (!at[0].doc || !at[1].doc || !at[2].doc) {
        cp_json_fail(&start, "an event lacks its type, frame or time");
        return e;
    }
    type = cp_json_string(&at[0]);
    e.is_open = cp_text_equals(type, "O");
    if (!e.is_open && !cp_text_equals(type, "C"))
        cp_json_fail(&start, "an event neither opens nor closes a frame");
    e.at = cp_json_number(&at[2]);
    e.location = frame_at(r, &at[1]);
    return e;
}

/* The open frames and their stacks. */
struct open {
    uint32_t *locations, *nodes;
    size_t cap_locations, cap_nodes, n;
};

static enum cp_status open_frame(struct reader *r, struct open *o,
                                 uint32_t location)
{
    uint32_t parent = o->n ? o->nodes[o->n - 1] : CP_GATHER_ROOT;
    uint32_t node = cp_gather_call(&r->g, parent, location, r->err);

    if (node == CP_NONE ||
        cp_reserve(&o->locations, &o->cap_locations, o->n + 1,
                   sizeof(*o->locations), r->err) != CP_OK ||
        cp_reserve(&o->nodes, &o->cap_nodes, o->n + 1, sizeof(*o->nodes),
                   r->err) != CP_OK)
        return CP_ENOMEM;
    o->locations[o->n] = location;
    o->nodes[o->n++] = node;
    return CP_OK;
}

/*
 * Closes the innermost frame with this location; some writers close in the
 * wrong order.
 */
static enum cp_status close_frame(struct reader *r, struct open *o,
                                  uint32_t location, struct cp_json *j)
{
    uint32_t above[MAX_OUT_OF_ORDER];
    size_t n = 0;
    enum cp_status status = CP_OK;

    while (n < o->n && n < MAX_OUT_OF_ORDER &&
           o->locations[o->n - 1 - n] != location) {
        above[n] = o->locations[o->n - 1 - n];
        n++;
    }
    if (n == o->n || n == MAX_OUT_OF_ORDER) {
        cp_json_fail(j, "a frame is closed but not open; the event ends");
        return CP_EFORMAT;
    }
    o->n -= n + 1;
    while (status == CP_OK && n > 0)
        status = open_frame(r, o, above[--n]);
    return status;
}

static enum cp_status read_events(struct reader *r, struct part *p,
                                  struct open *o)
{
    struct cp_json *j = &p->at[EVENTS];
    bool has_started = false;
    double last = 0, end;

    while (cp_json_item(j)) {
        struct event e = read_event(r, j);
        enum cp_status status = CP_OK;

        if (e.location == CP_NONE || j->doc->err.status != CP_OK)
            return CP_EFORMAT;
        if (has_started && e.at < last) {
            cp_json_fail(j, "time decreases; the event ends");
            return CP_EFORMAT;
        }
        if (has_started && o->n && e.at > last)
            status = add_value(r, p, o->nodes[o->n - 1], e.at - last);
        last = e.at;
        has_started = true;
        if (status == CP_OK)
            status = e.is_open ? open_frame(r, o, e.location)
                               : close_frame(r, o, e.location, j);
        if (status != CP_OK)
            return status;
    }
    if (o->n == 0 || !cp_json_is(&p->at[END], CP_JSON_NUMBER))
        return j->doc->err.status;
    end = cp_json_number(&p->at[END]);
    return end > last ? add_value(r, p, o->nodes[o->n - 1], end - last)
                      : j->doc->err.status;
}

static enum cp_status read_evented(struct reader *r, struct part *p)
{
    struct open o = { 0 };
    enum cp_status status = CP_EFORMAT;

    if (cp_json_enter(&p->at[EVENTS], CP_JSON_ARRAY))
        status = read_events(r, p, &o);
    cp_free(o.locations);
    cp_free(o.nodes);
    return status;
}

/* The type and unit of a column, by speedscope unit. */
static const struct unit {
    const char *word, *type, *unit;
    double scale;
} units[] = {
    /* Also used for unknown units. */
    { "none", "samples", "count", 1 },
    { "nanoseconds", "time", "nanoseconds", 1 },
    { "microseconds", "time", "nanoseconds", 1e3 },
    { "milliseconds", "time", "nanoseconds", 1e6 },
    { "seconds", "time", "nanoseconds", 1e9 },
    { "bytes", "space", "bytes", 1 },
};

static const struct unit *find_unit(struct cp_json *j)
{
    struct cp_text word = { 0 };

    if (cp_json_is(j, CP_JSON_STRING))
        word = cp_json_string(j);
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (cp_text_equals(word, units[i].word))
            return &units[i];
    return &units[0];
}

/* Sets the column and the labels of a profile. */
static enum cp_status set_column(struct reader *r, struct part *p)
{
    const struct unit *u = find_unit(&p->at[UNIT]);
    struct cp_text name = cp_text_of("", 0);
    struct cp_text type = cp_text_of(u->type, strlen(u->type));
    struct cp_label label = { 0 };

    if (cp_json_is(&p->at[NAME], CP_JSON_STRING))
        name = cp_json_string(&p->at[NAME]);
    p->scale = r->is_pprof_file ? 1 : u->scale;
    if (r->is_pprof_file) /* such files name types and units themselves */
        p->column = cp_gather_column(&r->g, name,
                                     u == units ? u->unit : u->word, r->err);
    else
        p->column = cp_gather_column(&r->g, type, u->unit, r->err);
    p->label_set = 0;
    if (p->column == CP_NONE)
        return CP_EFORMAT;
    if (!r->has_names || r->is_pprof_file)
        return CP_OK;
    label.key = cp_builder_str(&r->g.b, "profile", 7, r->err);
    label.str = cp_gather_str(&r->g, name, r->err);
    if (label.key == CP_NO_STR || label.str == CP_NO_STR)
        return CP_ENOMEM;
    p->label_set = cp_builder_label_set(&r->g.b, &label, 1, r->err);
    return p->label_set == CP_NONE ? CP_ENOMEM : CP_OK;
}

static enum cp_status read_profile(struct reader *r, struct cp_json *j)
{
    static const char *const names[N_PARTS] = {
        [TYPE] = "type",       [NAME] = "name",       [UNIT] = "unit",
        [SAMPLES] = "samples", [WEIGHTS] = "weights", [EVENTS] = "events",
        [END] = "endValue",
    };
    struct cp_json start = *j;
    struct part p;
    struct cp_text type;

    cp_json_pick(j, names, N_PARTS, p.at);
    if (j->doc->err.status == CP_OK && set_column(r, &p) != CP_OK)
        return CP_EFORMAT;
    type = cp_json_string(&p.at[TYPE]);
    if (cp_text_equals(type, "sampled") && p.at[SAMPLES].doc)
        return read_sampled(r, &p);
    if (cp_text_equals(type, "evented") && p.at[EVENTS].doc)
        return read_evented(r, &p);
    cp_json_fail(&start, "the profile is neither sampled nor evented");
    return CP_EFORMAT;
}

static bool has_several(struct cp_json list)
{
    if (!cp_json_enter(&list, CP_JSON_ARRAY) || !cp_json_item(&list))
        return false;
    cp_json_skip(&list);
    return cp_json_item(&list);
}

static enum cp_status read_all(struct reader *r, struct cp_json profiles,
                               struct cp_json shared)
{
    enum cp_status status = read_frames(r, shared);

    r->has_names = has_several(profiles);
    if (status != CP_OK)
        return status;
    if (!cp_json_enter(&profiles, CP_JSON_ARRAY))
        return cp_json_status(profiles.doc, r->err);
    while (status == CP_OK && cp_json_item(&profiles))
        status = read_profile(r, &profiles);
    if (cp_json_status(profiles.doc, r->err) != CP_OK)
        return CP_EFORMAT;
    return status;
}

struct cp_profile *cp_import_speedscope(struct cp_json profiles,
                                        struct cp_json shared,
                                        struct cp_json exporter,
                                        struct cp_error *err)
{
    struct reader r = { .err = err };
    size_t len = (size_t)(profiles.doc->end - profiles.doc->begin);
    struct cp_profile *p = NULL;

    if (cp_json_is(&exporter, CP_JSON_STRING))
        r.is_pprof_file = cp_text_starts(cp_json_string(&exporter), "cpprof");
    if (cp_gather_init(&r.g, len, err) != CP_OK)
        return NULL;
    if (read_all(&r, profiles, shared) == CP_OK)
        p = cp_gather_take(&r.g, err);
    else
        cp_error_prefix(err, "speedscope: ");
    cp_gather_release(&r.g);
    cp_arena_release(&r.arena);
    cp_free(r.frames);
    return p;
}
