/*
 * callgrind_stacks.c - converts a call graph to stacks.
 *
 * Each event is handled separately. The inclusive cost of a function is the sum
 * of its lines and calls; the part that no caller accounts for starts at the
 * root. Back edges (recursive calls) are ignored: the first call of the
 * function already includes their cost. A depth-first walk from the roots gives
 * each path to a function its share of every line and call. Shares are
 * subtracted from the remaining cost, so nothing is counted twice. The
 * remainder at the end (small calls, recursion, rounding, inconsistent files)
 * goes to the most expensive path.
 */
#include "base/alloc.h"
#include "base/index.h"
#include "base/number.h"
#include "import/callgrind.h"

#include <stdlib.h>
#include <string.h>

#define SMALL_SHARE                                                            \
    10000 /* a path with less than 1/SMALL_SHARE of the total ends */
#define MAX_STEPS                                                              \
    4000000u /* after this many steps only unvisited functions are visited */

/* State of a function for the current event. */
struct function {
    size_t first_cost, n_costs; /* range of sorted; lines first, then calls */
    size_t n_own;
    int64_t whole, incoming; /* inclusive cost; part accounted for by callers */
    int64_t undelivered;     /* part of `whole` that is not distributed yet */
    int64_t own_left;
    size_t own_at;    /* first line with remaining cost */
    uint32_t above;   /* stack of the callers on the most expensive path */
    int64_t heaviest; /* share of that path; -1: not visited */
    bool has_caller;
    enum { NEW, ON_PATH, DONE } colour; /* state of the search for back edges */
};

/* A function on the current path. */
struct visit {
    uint32_t function, above;
    int64_t share, of; /* share of `of`, the undistributed cost at entry */
    size_t next_call;
};

struct spreader {
    const struct cp_callgrind *c;
    struct cp_gather *g;
    struct cp_error *err;
    struct function *functions;
    size_t *sorted;     /* costs by function, calls last */
    int64_t *left;      /* remaining cost, by cost index */
    bool *is_back_edge; /* whether it is a back edge, by cost index */
    struct visit *path;
    size_t n_path, cap_path;
    uint32_t event;
    int64_t small;
    uint64_t n_steps;
};

/* Returns value * share / of, for 0 <= share <= of and of > 0. */
static int64_t part_of(int64_t value, int64_t share, int64_t of)
{
    __extension__ typedef __int128 wide;

    return value <= 0 ? 0 : (int64_t)((wide)value * share / of);
}

static void sort_costs(struct spreader *s)
{
    const struct cp_callgrind *c = s->c;
    size_t at = 0;

    for (size_t i = 0; i < c->n_costs; i++) {
        struct function *f = &s->functions[c->costs[i].function];

        f->n_costs++;
        f->n_own += c->costs[i].callee == CP_NONE;
    }
    for (uint32_t i = 0; i < c->n_functions; i++) {
        s->functions[i].first_cost = at;
        at += s->functions[i].n_costs;
        s->functions[i].n_costs = 0;
    }
    for (int calls = 0; calls < 2; calls++)
        for (size_t i = 0; i < c->n_costs; i++) {
            struct function *f = &s->functions[c->costs[i].function];

            if ((c->costs[i].callee != CP_NONE) == calls)
                s->sorted[f->first_cost + f->n_costs++] = i;
        }
}

static enum cp_status visit(struct spreader *s, uint32_t function)
{
    if (s->functions[function].colour != NEW)
        return CP_OK;
    if (cp_reserve(&s->path, &s->cap_path, s->n_path + 1, sizeof(*s->path),
                   s->err) != CP_OK)
        return CP_ENOMEM;
    s->functions[function].colour = ON_PATH;
    s->path[s->n_path++] =
        (struct visit){ .function = function,
                        .next_call = s->functions[function].n_own };
    return CP_OK;
}

/* Finds back edges among all functions reachable from a function. */
static enum cp_status find_back_from(struct spreader *s, uint32_t function)
{
    enum cp_status status = visit(s, function);

    while (status == CP_OK && s->n_path > 0) {
        struct visit *v = &s->path[s->n_path - 1];
        struct function *f = &s->functions[v->function];
        size_t i;

        if (v->next_call == f->n_costs) {
            f->colour = DONE;
            s->n_path--;
            continue;
        }
        i = s->sorted[f->first_cost + v->next_call++];
        s->is_back_edge[i] =
            s->functions[s->c->costs[i].callee].colour == ON_PATH;
        status = visit(s, s->c->costs[i].callee);
    }
    return status;
}

/*
 * Starts with functions without callers, so that back edges are those of the
 * program's recursion.
 */
static enum cp_status find_back_edges(struct spreader *s)
{
    const struct cp_callgrind *c = s->c;
    enum cp_status status = CP_OK;

    for (size_t i = 0; i < c->n_costs; i++)
        if (c->costs[i].callee != CP_NONE &&
            c->costs[i].callee != c->costs[i].function)
            s->functions[c->costs[i].callee].has_caller = true;
    for (int called = 0; called < 2; called++)
        for (uint32_t i = 0; status == CP_OK && i < c->n_functions; i++)
            if (s->functions[i].has_caller == called)
                status = find_back_from(s, i);
    return status;
}

/* Initializes the state for an event; returns the sum of all lines. */
static int64_t begin_event(struct spreader *s)
{
    const struct cp_callgrind *c = s->c;
    int64_t total = 0;

    for (uint32_t i = 0; i < c->n_functions; i++) {
        struct function *f = &s->functions[i];

        f->whole = f->incoming = f->own_left = 0;
        f->own_at = f->first_cost;
        f->heaviest = -1;
    }
    for (size_t i = 0; i < c->n_costs; i++) {
        const struct cp_callgrind_cost *cost = &c->costs[i];
        int64_t value = cp_callgrind_value(c, cost, s->event);
        struct function *f = &s->functions[cost->function];

        s->left[i] = value;
        if (s->is_back_edge[i])
            s->left[i] = 0;
        if (s->is_back_edge[i] || value <= 0)
            continue;
        f->whole = cp_add(f->whole, value);
        if (cost->callee != CP_NONE) {
            struct function *callee = &s->functions[cost->callee];

            callee->incoming = cp_add(callee->incoming, value);
        } else {
            f->own_left = cp_add(f->own_left, value);
            total = cp_add(total, value);
        }
    }
    for (uint32_t i = 0; i < c->n_functions; i++)
        s->functions[i].undelivered = s->functions[i].whole;
    return total;
}

static enum cp_status add_value(struct spreader *s, uint32_t above,
                                uint32_t location, int64_t value)
{
    uint32_t node = cp_gather_call(s->g, above, location, s->err);
    uint32_t row =
        node == CP_NONE ? CP_NONE : cp_gather_row(s->g, node, 0, s->err);

    if (row == CP_NONE)
        return CP_ENOMEM;
    return cp_gather_add(s->g, row, s->event, value, s->err);
}

/* Distributes `amount` of a function's lines to the stack below `above`. */
static enum cp_status distribute_lines(struct spreader *s, struct function *f,
                                       uint32_t above, int64_t amount)
{
    size_t end = f->first_cost + f->n_own;
    enum cp_status status = CP_OK;

    while (status == CP_OK && amount > 0 && f->own_at < end) {
        size_t i = s->sorted[f->own_at];
        int64_t value = s->left[i] < amount ? s->left[i] : amount;

        if (value <= 0) {
            f->own_at++;
            continue;
        }
        status = add_value(s, above, s->c->costs[i].location, value);
        s->left[i] -= value;
        f->own_left -= value;
        amount -= value;
    }
    return status;
}

static enum cp_status enter(struct spreader *s, uint32_t function,
                            uint32_t above, int64_t share)
{
    struct function *f = &s->functions[function];
    struct visit *v;

    if (share > f->undelivered)
        share = f->undelivered > 0 ? f->undelivered : 0;
    if (cp_reserve(&s->path, &s->cap_path, s->n_path + 1, sizeof(*s->path),
                   s->err) != CP_OK)
        return CP_ENOMEM;
    v = &s->path[s->n_path++];
    *v = (struct visit){ function, above, share, f->undelivered, f->n_own };
    if (share > f->heaviest) {
        f->heaviest = share;
        f->above = above;
    }
    if (share == 0)
        return CP_OK;
    f->undelivered -= share;
    return distribute_lines(s, f, above, part_of(f->own_left, share, v->of));
}

/* Follows the next call of the innermost function, or leaves the function. */
static enum cp_status step(struct spreader *s)
{
    struct visit *v = &s->path[s->n_path - 1];
    struct function *f = &s->functions[v->function], *callee;
    const struct cp_callgrind_cost *call;
    uint32_t node;
    int64_t share;
    size_t i;

    if (v->next_call == f->n_costs) {
        s->n_path--;
        return CP_OK;
    }
    i = s->sorted[f->first_cost + v->next_call++];
    call = &s->c->costs[i];
    callee = &s->functions[call->callee];
    share = v->share ? part_of(s->left[i], v->share, v->of) : 0;
    if (s->n_steps++ > MAX_STEPS / s->c->n_events)
        s->small = INT64_MAX;
    if (s->left[i] <= 0 || (share < s->small && callee->heaviest >= 0))
        return CP_OK;
    s->left[i] -= share;
    if (callee->incoming >
        callee->whole) /* inconsistent file: callers exceed the function */
        share = part_of(callee->whole, share, callee->incoming);
    node = cp_gather_call(s->g, v->above, call->location, s->err);
    return node == CP_NONE ? CP_ENOMEM : enter(s, call->callee, node, share);
}

static enum cp_status spread_event(struct spreader *s)
{
    const struct cp_callgrind *c = s->c;
    enum cp_status status = CP_OK;

    s->small = begin_event(s) / SMALL_SHARE;
    s->small = s->small < 1 ? 1 : s->small;
    s->n_steps = 0;
    for (uint32_t i = 0; status == CP_OK && i < c->n_functions; i++) {
        int64_t share = s->functions[i].whole - s->functions[i].incoming;

        if (s->functions[i].whole <= 0 || share <= 0)
            continue;
        status = enter(s, i, CP_GATHER_ROOT, share);
        while (status == CP_OK && s->n_path > 0)
            status = step(s);
    }
    for (uint32_t i = 0; status == CP_OK && i < c->n_functions; i++) {
        struct function *f = &s->functions[i];

        if (f->own_left > 0)
            status = distribute_lines(
                s, f, f->heaviest < 0 ? CP_GATHER_ROOT : f->above, f->own_left);
    }
    return status;
}

enum cp_status cp_callgrind_stacks(const struct cp_callgrind *c,
                                   struct cp_gather *g, struct cp_error *err)
{
    struct spreader s = { .c = c, .g = g, .err = err };
    enum cp_status status = CP_ENOMEM;

    s.functions = cp_alloc(c->n_functions, sizeof(*s.functions), err);
    s.sorted = cp_alloc(c->n_costs, sizeof(*s.sorted), err);
    s.left = cp_alloc(c->n_costs, sizeof(*s.left), err);
    s.is_back_edge = cp_alloc(c->n_costs, sizeof(*s.is_back_edge), err);
    if (s.functions && s.sorted && s.left && s.is_back_edge) {
        sort_costs(&s);
        status = find_back_edges(&s);
    }
    for (; status == CP_OK && s.event < c->n_events; s.event++)
        status = spread_event(&s);
    cp_free(s.functions);
    cp_free(s.sorted);
    cp_free(s.left);
    cp_free(s.is_back_edge);
    cp_free(s.path);
    return status;
}
