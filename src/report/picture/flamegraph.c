/*
 * flamegraph.c - the report "flamegraph": one SVG file, root at the top.
 *
 * The picture is complete without its script: every box has its position, its
 * colour and as much of its name as fits. The script (assets/flamegraph.js)
 * reads the boxes from the picture, so it needs no other data:
 *
 *   <svg> <title> <style> <rect/>          background
 *     <text class="title"> <text>...       heading
 *     <g class="boxes">
 *       <g><title>name\nvalues</title><rect/><text>label</text></g> ...
 *     </g>
 *     <text class="note">                  omitted boxes
 *     <script> </svg>
 */
#include "report/picture/flamegraph.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "base/units.h"
#include "report/core/escape.h"
#include "report/core/formats.h"

#define PICTURE_WIDTH 1200
#define MARGIN 10
#define HEAD_HEIGHT 72
#define FOOT_HEIGHT 34
#define ROW_HEIGHT 18
#define BOX_HEIGHT 17
#define LETTER_WIDTH                                                           \
    7.25 /* pixels of a character of the 12-pixel monospace font */
#define MAX_NAME_BYTES 500

/* Writes at max_chars max_chars characters, with "..." if there are more. */
static void write_truncated(struct cp_out *out, struct cp_str text,
                            size_t max_chars)
{
    uint32_t end = 0;
    size_t n = 0;

    if (cp_out_width(text.ptr, text.len) <= max_chars) {
        cp_escape_xml(out, text);
        return;
    }
    for (; end < text.len; end++) {
        n += ((unsigned char)text.ptr[end] & 0xc0) != 0x80;
        if (n == max_chars)
            break;
    }
    cp_escape_xml(out, (struct cp_str){ text.ptr, end });
    cp_out_cstr(out, "\xe2\x80\xa6");
}

/*
 * Returns the name without the path of its package: "http.Get" for
 * "net/http.Get".
 */
static struct cp_str without_path(struct cp_str name)
{
    uint32_t from = 0;

    for (uint32_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == '(' || name.ptr[i] == '<' || name.ptr[i] == ' ')
            break;
        if (name.ptr[i] == '/')
            from = i + 1;
    }
    return (struct cp_str){ name.ptr + from, name.len - from };
}

static struct cp_str name_of(const struct cp_flame *f,
                             const struct cp_flame_box *box)
{
    if (box->name == CP_NONE)
        return (struct cp_str){ "all", 3 };
    return f->stacks.names.items[box->name];
}

/* Writes "1.50s (3.10%)", with a plus sign for an increase in a diff. */
static void write_value(const struct cp_flame *f, int64_t value,
                        struct cp_out *out)
{
    const struct cp_report *r = f->stacks.report;
    int64_t total = cp_report_divide(r, r->total);
    double percent = total ? 100 * (double)value / fabs((double)total) : 0;
    const char *plus = f->stacks.is_diff && value > 0 ? "+" : "";
    char text[CP_LABEL_BYTES];

    cp_unit_label(value, r->sample_unit, r->out_unit, text);
    cp_out_cstr(out, plus);
    cp_escape_xml(out, (struct cp_str){ text, (uint32_t)strlen(text) });
    cp_out_printf(out, " (%s%.2f%%)", plus, percent);
}

static void write_title(const struct cp_flame *f,
                        const struct cp_flame_box *box, struct cp_out *out)
{
    cp_out_cstr(out, "<title>");
    write_truncated(out, name_of(f, box), MAX_NAME_BYTES);
    cp_out_char(out, '\n');
    write_value(f, box->value, out);
    if (box->self != 0) {
        cp_out_cstr(out, ", self ");
        write_value(f, box->self, out);
    }
    cp_out_cstr(out, "</title>");
}

static void write_label(struct cp_str name, double x, double width, uint32_t y,
                        struct cp_out *out)
{
    size_t room = width < 6 ? 0 : (size_t)((width - 6) / LETTER_WIDTH);

    if (room < 3)
        return;
    if (cp_out_width(name.ptr, name.len) > room)
        name = without_path(name);
    cp_out_printf(out, "<text x=\"%.3f\" y=\"%u\">", x + 3, y + 13);
    write_truncated(out, name, room);
    cp_out_cstr(out, "</text>");
}

static void write_box(const struct cp_flame *f, const struct cp_flame_box *box,
                      struct cp_out *out)
{
    double scale = (PICTURE_WIDTH - 2 * MARGIN) / f->total_weight;
    double x = MARGIN + box->start * scale, width = box->weight * scale;
    uint32_t y = HEAD_HEIGHT + box->depth * ROW_HEIGHT;
    char colour[CP_COLOUR_BYTES];

    if (f->stacks.is_diff)
        cp_flame_diff_colour((double)box->value / box->weight, colour);
    else
        cp_flame_colour(name_of(f, box), colour);
    cp_out_cstr(out, "<g>");
    write_title(f, box, out);
    cp_out_printf(out,
                  "<rect x=\"%.3f\" y=\"%u\" width=\"%.3f\" height=\"%d\" "
                  "fill=\"%s\"/>",
                  x, y, width, BOX_HEIGHT, colour);
    write_label(name_of(f, box), x, width, y, out);
    cp_out_cstr(out, "</g>\n");
}

static struct cp_str profile_file(const struct cp_profile *p)
{
    if (p->n_mappings == 0 || p->mappings[0].file == 0)
        return (struct cp_str){ "", 0 };
    return cp_path_base(cp_profile_str(p, p->mappings[0].file));
}

/* Writes "Flame graph of server: cpu". */
static void write_heading(const struct cp_report *r, struct cp_out *out)
{
    struct cp_str file = profile_file(r->profile);
    struct cp_str type = { r->sample_type, (uint32_t)strlen(r->sample_type) };

    cp_out_cstr(out, "Flame graph");
    if (file.len > 0)
        cp_out_cstr(out, " of ");
    cp_escape_xml(out, file);
    cp_out_cstr(out, ": ");
    cp_escape_xml(out, type);
}

/* Writes the line below the heading: file, unit, total. */
static void write_legend(const struct cp_flame *f, struct cp_out *out)
{
    const struct cp_report *r = f->stacks.report;
    struct cp_str file = profile_file(r->profile);
    char total[CP_LABEL_BYTES];

    cp_out_printf(out, "<text x=\"%d\" y=\"42\">", MARGIN);
    if (file.len > 0) {
        cp_out_cstr(out, "File: ");
        cp_escape_xml(out, file);
        cp_out_cstr(out, ", ");
    }
    cp_out_cstr(out, "type: ");
    cp_escape_xml(out, (struct cp_str){ r->sample_type,
                                        (uint32_t)strlen(r->sample_type) });
    cp_report_value(r, r->total, total);
    cp_out_cstr(out, ", total: ");
    cp_escape_xml(out, (struct cp_str){ total, (uint32_t)strlen(total) });
    if (f->stacks.has_base)
        cp_out_cstr(out, " in the base");
    if (f->stacks.is_diff)
        cp_out_cstr(out, "; red grew, blue shrank, width is old and new");
    cp_out_cstr(out, "</text>\n");
}

static void write_head(const struct cp_flame *f, uint32_t height,
                       struct cp_out *out)
{
    cp_out_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" "
                  "width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\" "
                  "font-family=\"monospace\" font-size=\"12\">\n<title>",
                  PICTURE_WIDTH, height, PICTURE_WIDTH, height);
    write_heading(f->stacks.report, out);
    cp_out_cstr(out, "</title>\n<style><![CDATA[\n");
    cp_out_cstr(out, cp_asset_flamegraph_css);
    cp_out_printf(out,
                  "]]></style>\n<rect class=\"background\" width=\"100%%\" "
                  "height=\"100%%\" fill=\"#ffffff\"/>\n"
                  "<text class=\"title\" x=\"%d\" y=\"24\" font-size=\"16\" "
                  "font-weight=\"bold\" font-family=\"sans-serif\">",
                  MARGIN);
    write_heading(f->stacks.report, out);
    cp_out_cstr(out, "</text>\n");
    write_legend(f, out);
}

static void write_foot(const struct cp_flame *f, uint32_t height,
                       struct cp_out *out)
{
    cp_out_printf(out,
                  "<text class=\"note\" x=\"%d\" y=\"%u\" fill=\"#555555\">",
                  MARGIN, height - 12);
    if (f->n_boxes == 0)
        cp_out_cstr(out, "There is nothing to show.");
    if (f->n_omitted > 0)
        cp_out_printf(out,
                      "Left out: %u box%s narrower than %.2g%% of the width, "
                      "with what is below.",
                      f->n_omitted, f->n_omitted == 1 ? "" : "es",
                      f->min_share * 100);
    cp_out_cstr(out, "</text>\n<script><![CDATA[\n");
    cp_out_cstr(out, cp_asset_flamegraph_js);
    cp_out_cstr(out, "]]></script>\n</svg>\n");
}

enum cp_status cp_write_flamegraph(struct cp_report *r, struct cp_out *out,
                                   struct cp_error *err)
{
    struct cp_flame f = { 0 };
    enum cp_status status = cp_flame_init(&f, r, err);
    uint32_t height;

    if (status != CP_OK)
        return status;
    height = HEAD_HEIGHT + f.n_rows * ROW_HEIGHT + FOOT_HEIGHT;
    write_head(&f, height, out);
    cp_out_cstr(out, "<g class=\"boxes\">\n");
    for (uint32_t i = 0; i < f.n_boxes; i++)
        write_box(&f, &f.boxes[i], out);
    cp_out_cstr(out, "</g>\n");
    write_foot(&f, height, out);
    cp_flame_release(&f);
    return CP_OK;
}
