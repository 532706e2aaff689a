/*
 * launch_list.c - prints the programs that serve profiles, as a table or JSON.
 */
#include "tool/attach/launch_list.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/instance.h"
#include "base/out.h"
#include "base/printable.h"
#include "launch/instances.h"
#include "tool/attach/launch_args.h"
#include "tool/cli/print.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_MISUSED = 2 };
enum { N_COLUMNS = 6 };

#define TEXT_BYTES 520

static const char usage_text[] =
    "usage: cpprof list [--json]\n"
    "Lists the programs on this machine that serve profiles. Root sees the\n"
    "programs of all users.\n\n"
    "  --json      print a JSON array of objects\n"
    "  -h, --help  this text\n";

const struct option cp_launch_list_options[] = {
    { "json", no_argument, NULL, 'j' },
    { "help", no_argument, NULL, 'h' },
    { NULL, 0, NULL, 0 },
};

/* Cuts the text to 40 bytes at a character boundary. */
static void shorten(char *text)
{
    size_t len = 37;

    if (strlen(text) <= 40)
        return;
    while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
        len--;
    (void)strcpy(text + len, "...");
}

static void put_time(char *out, size_t cap, int64_t seconds, const char *format)
{
    time_t when = (time_t)seconds;
    struct tm parts;

    if (!localtime_r(&when, &parts) || strftime(out, cap, format, &parts) == 0)
        (void)snprintf(out, cap, "?");
}

static void write_row(const struct cp_instance *i,
                      char row[N_COLUMNS][TEXT_BYTES])
{
    char age[CP_LAUNCH_AGE_BYTES];

    cp_printable_line(row[0], TEXT_BYTES, i->app_id);
    cp_printable_line(row[1], TEXT_BYTES, i->address);
    cp_printable_line(row[2], TEXT_BYTES, i->command);
    shorten(row[2]);
    cp_launch_age(i->created_s, age);
    (void)snprintf(row[3], TEXT_BYTES, "%s", age);
    put_time(row[4], TEXT_BYTES, i->created_s, "%Y-%m-%d %H:%M:%S");
    (void)snprintf(row[5], TEXT_BYTES, "%ld", (long)i->pid);
}

static void write_table(const struct cp_instances *list, struct cp_out *out)
{
    static const char *const heads[N_COLUMNS] = { "APP ID",  "ADDRESS",
                                                  "COMMAND", "AGE",
                                                  "CREATED", "PID" };
    size_t widths[N_COLUMNS];
    char row[N_COLUMNS][TEXT_BYTES];

    for (size_t c = 0; c < N_COLUMNS; c++)
        widths[c] = strlen(heads[c]);
    for (size_t i = 0; i < list->n; i++) {
        write_row(&list->items[i], row);
        for (size_t c = 0; c < N_COLUMNS; c++) {
            size_t width = cp_out_width(row[c], strlen(row[c]));

            widths[c] = width > widths[c] ? width : widths[c];
        }
    }
    for (size_t i = 0; i <= list->n; i++) {
        if (i > 0)
            write_row(&list->items[i - 1], row);
        for (size_t c = 0; c < N_COLUMNS; c++) {
            const char *text = i > 0 ? row[c] : heads[c];
            size_t width = cp_out_width(text, strlen(text));

            cp_out_cstr(out, text);
            if (c + 1 < N_COLUMNS)
                cp_out_fill(out, ' ', widths[c] - width + 2);
        }
        cp_out_char(out, '\n');
    }
}

static void json_text(struct cp_out *out, const char *name, const char *text)
{
    cp_out_printf(out, "\"%s\":\"", name);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < 32)
            cp_out_printf(out, "\\u%04x", c);
        else if (c == '"' || c == '\\')
            cp_out_printf(out, "\\%c", c);
        else
            cp_out_char(out, *text);
    }
    cp_out_cstr(out, "\",");
}

static void write_json(const struct cp_instances *list, struct cp_out *out)
{
    char created[64];

    cp_out_char(out, '[');
    for (size_t i = 0; i < list->n; i++) {
        const struct cp_instance *it = &list->items[i];

        put_time(created, sizeof(created), it->created_s,
                 "%Y-%m-%dT%H:%M:%S%z");
        cp_out_cstr(out, i ? ",\n {" : "\n {");
        json_text(out, "appId", it->app_id);
        json_text(out, "address", it->address);
        json_text(out, "command", it->command);
        json_text(out, "created", created);
        cp_out_printf(out, "\"ageSeconds\":%lld,\"pid\":%ld}",
                      (long long)time(NULL) - (long long)it->created_s,
                      (long)it->pid);
    }
    cp_out_cstr(out, list->n ? "\n]\n" : "]\n");
}

static enum cp_status print(bool is_json, struct cp_error *err)
{
    struct cp_out out = cp_out_terminal(STDOUT_FILENO);
    struct cp_instances list;
    enum cp_status status = cp_instances_find(&list, err);

    if (status != CP_OK)
        return status;
    if (is_json)
        write_json(&list, &out);
    else if (list.n > 0)
        write_table(&list, &out);
    else
        (void)fputs("No program serves profiles. Start one: cpprof run -- "
                    "COMMAND\n",
                    stderr);
    status = cp_out_finish(&out, err);
    cp_out_release(&out);
    cp_instances_release(&list);
    return status;
}

int cp_launch_list_main(int argc, char **argv)
{
    struct cp_error err = { 0 };
    bool is_json = false;
    int option;

    while ((option = getopt_long(argc, argv, "h", cp_launch_list_options,
                                 NULL)) != -1) {
        if (option == 'h') {
            (void)fputs(usage_text, stdout);
            return EXIT_OK;
        }
        if (option != 'j') {
            (void)fputs(usage_text, stderr);
            return EXIT_MISUSED;
        }
        is_json = true;
    }
    if (optind < argc) {
        cp_print_line("cpprof list: takes no arguments: ", argv[optind]);
        return EXIT_MISUSED;
    }
    if (print(is_json, &err) == CP_OK)
        return EXIT_OK;
    cp_print_line("cpprof list: ", err.msg);
    return EXIT_FAILED;
}
