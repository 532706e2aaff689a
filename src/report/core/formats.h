/* formats - the properties of each format, and the function that writes it. */
#ifndef CP_FORMATS_H
#define CP_FORMATS_H

#include "base/error.h"
#include "report/core/options.h"

struct cp_out;
struct cp_report;

typedef enum cp_status (*cp_format_write)(struct cp_report *r,
                                          struct cp_out *out,
                                          struct cp_error *err);

/* Sets the options that a format forces: granularity, trimming, counts. */
void cp_format_adjust(struct cp_options *o);

cp_format_write cp_format_writer(enum cp_format format);

/* The writers, each in the file of its name. */
enum cp_status cp_write_top(struct cp_report *r, struct cp_out *out,
                            struct cp_error *err);
enum cp_status cp_write_tree(struct cp_report *r, struct cp_out *out,
                             struct cp_error *err);
enum cp_status cp_write_list(struct cp_report *r, struct cp_out *out,
                             struct cp_error *err);
enum cp_status cp_write_disasm(struct cp_report *r, struct cp_out *out,
                               struct cp_error *err);
enum cp_status cp_write_weblist(struct cp_report *r, struct cp_out *out,
                                struct cp_error *err);
enum cp_status cp_write_traces(struct cp_report *r, struct cp_out *out,
                               struct cp_error *err);
enum cp_status cp_write_tags(struct cp_report *r, struct cp_out *out,
                             struct cp_error *err);
enum cp_status cp_write_raw(struct cp_report *r, struct cp_out *out,
                            struct cp_error *err);
enum cp_status cp_write_comments(struct cp_report *r, struct cp_out *out,
                                 struct cp_error *err);
enum cp_status cp_write_dot(struct cp_report *r, struct cp_out *out,
                            struct cp_error *err);
enum cp_status cp_write_callgrind(struct cp_report *r, struct cp_out *out,
                                  struct cp_error *err);
enum cp_status cp_write_proto(struct cp_report *r, struct cp_out *out,
                              struct cp_error *err);
enum cp_status cp_write_topproto(struct cp_report *r, struct cp_out *out,
                                 struct cp_error *err);
enum cp_status cp_write_folded(struct cp_report *r, struct cp_out *out,
                               struct cp_error *err);
enum cp_status cp_write_flamegraph(struct cp_report *r, struct cp_out *out,
                                   struct cp_error *err);
enum cp_status cp_write_speedscope(struct cp_report *r, struct cp_out *out,
                                   struct cp_error *err);
enum cp_status cp_write_firefox(struct cp_report *r, struct cp_out *out,
                                struct cp_error *err);
enum cp_status cp_write_html(struct cp_report *r, struct cp_out *out,
                             struct cp_error *err);

#endif
