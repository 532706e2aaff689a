/* test_command.c - tests src/tool/cli/command.c. */
#include "base/alloc.h"
#include "tool/cli/command.h"

#include <stdlib.h>

#include "check.h"

#define MAX_WORDS 16

/*
 * Parses a command line whose arguments are separated by spaces; "''" is empty.
 */
static enum cp_status read_words(struct cp_command *c, char *words,
                                 struct cp_error *err)
{
    const char *argv[MAX_WORDS] = { "pprof" };
    char *save = NULL;
    int argc = 1;

    for (char *word = strtok_r(words, " ", &save); word && argc < MAX_WORDS;
         word = strtok_r(NULL, " ", &save))
        argv[argc++] = strcmp(word, "''") == 0 ? "" : word;
    return cp_command_init(c, argc, argv, err);
}

/* Formats the parsed command as one line. */
static void describe(const struct cp_command *c, char *out, size_t size)
{
    const struct cp_options *o = &c->options;
    size_t n = 0;

    n += (size_t)snprintf(out + n, size - n, "format %d", o->format);
    for (size_t i = 0; i < c->sources.n && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, " %s", c->sources.items[i]);
    for (size_t i = 0; i < c->bases.n && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, " base %s", c->bases.items[i]);
    if (o->node_count != -1 && n < size)
        n += (size_t)snprintf(out + n, size - n, " count %d", o->node_count);
    if (o->cum_sort && n < size)
        n += (size_t)snprintf(out + n, size - n, " cum");
    if (*o->focus && n < size)
        n += (size_t)snprintf(out + n, size - n, " focus %s", o->focus);
    if (!o->trim && n < size)
        n += (size_t)snprintf(out + n, size - n, " untrimmed");
    if (*o->argument && n < size)
        (void)snprintf(out + n, size - n, " argument %s", o->argument);
}

static const struct {
    const char *words, *want; /* expected command, or error message */
} cases[] = {
    { "-top a", "format 1 a" },
    { "-text a", "format 1 a" },
    { "a -top", "format 1 a" },
    { "a -top b", "format 1 a b" },
    { "--top a", "format 1 a" },
    { "-top -- -a", "format 1 -a" },
    { "-top -- --", "format 1 --" },
    { "-top -", "format 1 -" },
    { "-top ''", "format 1 " },
    { "-nodecount=5 -top a", "format 1 a count 5" },
    { "-nodecount 5 -top a", "format 1 a count 5" },
    { "-nodecount -7 -top a", "format 1 a count -7" },
    { "-nodecount=0x10 -top a", "format 1 a count 16" },
    { "-nodecount=1_000 -top a", "format 1 a count 1000" },
    { "-nodecount=5 -nodecount=6 -top a", "format 1 a count 6" },
    { "-focus -cum -top a", "format 1 a focus -cum" },
    { "-focus=a=b -top a", "format 1 a focus a=b" },
    { "-focus= -top a", "format 1 a" },
    { "-cum -cum -top a", "format 1 a cum" },
    { "-cum=false -flat -top a", "format 1 a" },
    { "-trim=0 -top a", "format 1 a untrimmed" },
    { "-trim=0 -trim -top a", "format 1 a" },
    { "-top -base x -base=y a", "format 1 a base x base y" },
    { "-peek=x a", "format 3 a argument x" },
    { "-peek x a", "format 3 a argument x" },
    { "-json a", "format 1 a" },
    { "-tree -json a", "format 2 a" },
    { "-http=: a", "format 0 a" },
    { "-tree=false -top a", "format 1 a" },
    { "''", "format 0 " },

    { "-top", "no profile source specified" },
    { "-bogus a", "flag provided but not defined: -bogus" },
    { "-bogus=5 a", "flag provided but not defined: -bogus" },
    { "---top a", "flag provided but not defined: --top" },
    { "-=x a", "flag provided but not defined: -" },
    { "-top a -focus", "flag needs an argument: -focus" },
    { "-trim=no -top a", "invalid boolean value \"no\" for -trim" },
    { "-trim= -top a", "invalid boolean value \"\" for -trim" },
    { "-nodecount=x -top a",
      "invalid value \"x\" for -nodecount: not a whole number" },
    { "-nodecount=1.5 -top a",
      "invalid value \"1.5\" for -nodecount: not a whole number" },
    { "-nodecount=99999999999999999999 -top a",
      "invalid value \"99999999999999999999\" for -nodecount: out of range" },
    { "-nodecount=9999999999 -top a", "format 1 a count 2147483647" },
    { "-nodefraction=1x -top a",
      "invalid value \"1x\" for -nodefraction: not a number" },
    { "-top -tree a", "must set at most one output format: -top and -tree" },
    { "-top -peek=x a", "must set at most one output format: -top and -peek" },
    { "-cum -flat -top a", "conflicting options: -cum and -flat" },
    { "-lines -files -top a", "conflicting options: -lines and -files" },
    { "-base=x -diff_base=y -top a",
      "-base and -diff_base flags cannot both be specified" },
    { "-normalize -top a", "must have base profile to normalize by" },
    { "-json -raw a", "-json and -csv need -top, -tree or -peek" },
};

static void test_lines(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *words = strdup(cases[i].words);
        struct cp_error err = { 0 };
        struct cp_command c;
        char text[256];

        check_case(cases[i].words);
        if (read_words(&c, words, &err) == CP_OK) {
            describe(&c, text, sizeof(text));
            CHECK_STR(text, cases[i].want);
            cp_command_release(&c);
        } else {
            CHECK_INT(err.status, CP_EUSAGE);
            CHECK_STR(err.msg, cases[i].want);
        }
        free(words);
    }
}

static void test_help_needs_no_source(void)
{
    char words[] = "-help";
    struct cp_command c;

    CHECK(read_words(&c, words, NULL) == CP_OK);
    CHECK(c.wants_help);
    cp_command_release(&c);
}

static void test_value_flags(void)
{
    char words[] = "-top -mean_delay a", later[] = "-top -inuse_space a";
    struct cp_command c;

    CHECK(read_words(&c, words, NULL) == CP_OK);
    CHECK_STR(c.options.sample_index, "delay");
    CHECK(c.options.mean);
    cp_command_release(&c);
    CHECK(read_words(&c, later, NULL) == CP_OK);
    CHECK_STR(c.options.sample_index, "inuse_space");
    CHECK(!c.options.mean);
    cp_command_release(&c);
}

static void test_products(void)
{
    char text[] = "-top a", file[] = "-callgrind a", picture[] = "-png a";
    struct cp_command c;

    CHECK(read_words(&c, text, NULL) == CP_OK);
    CHECK_INT(c.product, CP_PRODUCT_TEXT);
    cp_command_release(&c);
    CHECK(read_words(&c, file, NULL) == CP_OK);
    CHECK_INT(c.product, CP_PRODUCT_FILE);
    CHECK_STR(c.suffix, "callgraph.out");
    cp_command_release(&c);
    CHECK(read_words(&c, picture, NULL) == CP_OK);
    CHECK_INT(c.product, CP_PRODUCT_PICTURE);
    CHECK_INT(c.picture, CP_PICTURE_PNG);
    CHECK_STR(c.suffix, "png");
    cp_command_release(&c);
}

static void test_memory_runs_out(void)
{
    for (long n = 1; n < 5; n++) {
        char words[] = "-top -base=x a b";
        struct cp_error err = { 0 };
        struct cp_command c;
        enum cp_status status;

        cp_alloc_fail_at(n);
        status = read_words(&c, words, &err);
        cp_alloc_fail_at(0);
        CHECK(status == CP_OK || err.status == CP_ENOMEM);
        if (status == CP_OK)
            cp_command_release(&c);
    }
}

int main(void)
{
    RUN(test_lines);
    RUN(test_help_needs_no_source);
    RUN(test_value_flags);
    RUN(test_products);
    RUN(test_memory_runs_out);
    return check_failures != 0;
}
