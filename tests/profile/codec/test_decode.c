/* test_decode.c - tests src/profile/codec/decode*.c and raw_labels.c. */
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/out.h"
#include "profile/codec/decode.h"
#include "profile/model/profile.h"

#include <stdlib.h>

#include "check.h"
#include "one_core.h"
#include "profile_fixture.h"
#include "proto_fixture.h"

/* Strings by index: 1 n, 2 count, 3 f, 4 g, 5 k, 6 v, 7 bytes, 8 "" again. */
#define STRINGS                                                                \
    "6:'' 6:'n' 6:'count' 6:'f' 6:'g' 6:'k' 6:'v' 6:'bytes' 6:'' 6:'j' "
#define TYPE "1:{1:1 2:2} "
#define FUNCTIONS "5:{1:1 2:3} 5:{1:2 2:4} "
#define LOCATIONS "4:{1:1 4:{1:1}} 4:{1:2 4:{1:2}} "
#define REST STRINGS TYPE FUNCTIONS LOCATIONS

static const struct {
    const char *what, *message, *want;
} good[] = {
    { "samples last", REST "2:{1:[1 2] 2:[5]}", "5 g|f\n" },
    { "samples first", "2:{1:[1 2] 2:[5]} " REST, "5 g|f\n" },
    { "everything backwards",
      "2:{2:[5] 1:[1 2]} " LOCATIONS FUNCTIONS TYPE STRINGS, "5 g|f\n" },
    { "tables in pieces",
      "2:{1:1 2:1} 6:'' 5:{1:1 2:1} 2:{1:2 2:2} 6:'f' 4:{1:1 4:{1:1}} "
      "6:'g' 1:{} 5:{1:2 2:2} 4:{1:2 4:{1:2}} 2:{1:1 2:3}",
      "1 f\n2 g\n3 f\n" },
    { "not packed", REST "2:{1:1 1:2 2:5}", "5 g|f\n" },
    { "packed and not", REST "2:{1:1 1:[2 1] 1:2 2:5}", "5 g|f|g|f\n" },
    { "values between locations", REST "2:{1:1 2:5 1:2}", "5 g|f\n" },
    { "packed nothing", REST "2:{1:[] 1:[1] 1:[] 2:[5] 2:[]}", "5 f\n" },
    { "no locations", REST "2:{2:5}", "5\n" },
    { "no samples", REST, "" },
    { "no types and no samples", STRINGS, "" },
    { "an empty string table entry is enough", "6:''", "" },
    { "negative and large values",
      REST "2:{1:1 2:-5} 2:{1:1 2:[9223372036854775807]} "
           "2:{1:1 2:-9223372036854775808}",
      "-5 f\n9223372036854775807 f\n-9223372036854775808 f\n" },
    { "equal samples stay apart", REST "2:{1:1 2:1} 2:{1:1 2:1}",
      "1 f\n1 f\n" },
    { "unknown fields",
      REST "16:5 17:'x' 100:F4 200:F8 0:1 536870911:{1:2} "
           "2:{1:1 9:7 2:5 8:'x' 7:F4 3:{1:5 2:6 9:9 8:F8}} "
           "4:{1:3 9:9 4:{1:1 8:F8}} 3:{1:1 11:F4}",
      "5 f k:v\n" },
    { "unknown fields between entries",
      "6:'' 17:'x' 6:'f' 16:1 5:{1:1 2:1} 17:{1:9} 5:{1:2} 1:{} "
      "4:{1:1 4:{1:1}} 16:1 4:{1:2} 2:{1:1 2:1} 17:{1:9} 2:{1:2 2:2}",
      "1 f\n2 ?\n" },
    { "ids far apart",
      STRINGS TYPE "5:{1:18446744073709551615 2:3} 5:{1:7 2:4} "
                   "4:{1:0x7fff00000000 4:{1:18446744073709551615}} "
                   "4:{1:3 4:{1:7}} 2:{1:[3 0x7fff00000000] 2:1}",
      "1 f|g\n" },
    { "ids in any order",
      STRINGS TYPE "5:{1:2 2:4} 5:{1:1 2:3} 4:{1:2 4:{1:2}} "
                   "4:{1:1 4:{1:1}} 2:{1:[1 2] 2:1}",
      "1 g|f\n" },
    { "inlined lines",
      STRINGS TYPE FUNCTIONS "4:{1:1 4:{1:1} 4:{1:2}} 2:{1:1 2:1}", "1 g~f\n" },
    { "no lines", STRINGS TYPE "4:{1:1} 2:{1:1 2:1}", "1 ?\n" },
    { "a mapping", STRINGS TYPE "3:{1:9 5:6} 4:{1:1 2:9} 2:{1:1 2:1}",
      "1 !v\n" },
    { "a mapping that is not there",
      STRINGS TYPE "3:{1:9 5:6} 4:{1:1 2:8} 2:{1:1 2:1}", "1 ?\n" },
    { "mapping 0 is none", STRINGS TYPE "3:{1:9 5:6} 4:{1:1 2:0} 2:{1:1 2:1}",
      "1 ?\n" },
    { "text label", REST "2:{1:1 2:1 3:{1:5 2:6}}", "1 f k:v\n" },
    { "number label", REST "2:{1:1 2:1 3:{1:5 3:-7}}", "1 f k=-7\n" },
    { "number with unit", REST "2:{1:1 2:1 3:{1:5 3:7 4:7}}",
      "1 f k=7bytes\n" },
    { "zero with a unit stays", REST "2:{1:1 2:1 3:{1:5 4:7}}",
      "1 f k=0bytes\n" },
    { "zero is dropped", REST "2:{1:1 2:1 3:{1:5 3:0}}", "1 f\n" },
    { "empty text is dropped", REST "2:{1:1 2:1 3:{1:5 2:0}}", "1 f\n" },
    { "empty text of another index stays", REST "2:{1:1 2:1 3:{1:5 2:8}}",
      "1 f k:\n" },
    { "nothing is dropped", REST "2:{1:1 2:1 3:{}}", "1 f\n" },
    { "text wins over a number", REST "2:{1:1 2:1 3:{1:5 2:6 3:7 4:7}}",
      "1 f k:v\n" },
    { "labels are sorted",
      REST "2:{1:1 2:1 3:{1:5 3:1} 3:{1:9 3:2} 3:{1:5 2:6} 3:{1:9 2:3}}",
      "1 f j:f k:v j=2 k=1\n" },
    { "labels of a key stay in order",
      REST "2:{1:1 2:1 3:{1:5 2:6} 3:{1:5 2:3} 3:{1:5 2:4}}",
      "1 f k:v k:f k:g\n" },
    { "labels apart", REST "2:{3:{1:5 2:6} 1:1 3:{1:9 2:3} 2:1 3:{1:5 3:4}}",
      "1 f j:f k:v k=4\n" },
    { "labels apart by packed lists",
      REST "2:{3:{1:5 2:6} 1:[1] 2:[1] 3:{1:9 2:3}}", "1 f j:f k:v\n" },
    { "labels before all else", REST "2:{3:{1:5 2:6} 3:{1:9 2:3} 1:1 2:1}",
      "1 f j:f k:v\n" },
    { "some with labels",
      REST "2:{1:1 2:1} 2:{1:1 2:2 3:{1:5 2:6}} 2:{1:1 2:3} "
           "2:{1:1 2:4 3:{1:5 3:6}} 2:{1:1 2:5 3:{1:5 2:6}}",
      "1 f\n2 f k:v\n3 f\n4 f k=6\n5 f k:v\n" },
    { "a time of zero and another", REST "9:0 9:5", "" },
    { "equal strings are one string",
      "6:'' 6:'x' 6:'x' 1:{1:1 2:2} 5:{1:1 2:2} 4:{1:1 4:{1:1}} 2:{1:1 2:1}",
      "1 x\n" },
};

static struct cp_profile *decode(const char *message, struct cp_error *err)
{
    struct cp_bytes raw = proto_file(message);
    struct cp_profile *p = cp_decode(&raw, false, err);

    cp_bytes_release(&raw);
    return p;
}

static void test_good(void)
{
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        struct cp_error err = { 0 };
        struct cp_profile *p;

        check_case(good[i].what);
        p = decode(good[i].message, &err);
        CHECK_STR(err.msg, "");
        CHECK(p != NULL);
        CHECK_STR(profile_text(p), good[i].want);
        cp_profile_free(p);
    }
}

static const struct {
    const char *what, *message;
    enum cp_status want;
    const char *msg; /* part of the message */
} bad[] = {
    { "no string table", "1:{}", CP_EOTHER, "string table" },
    { "nothing at all", "", CP_EOTHER, "string table" },
    { "first string is not empty", "6:'x' 6:''", CP_EOTHER, "string table" },
    { "type out of range", "6:'' 1:{1:1}", CP_EOTHER, "value type" },
    { "unit out of range", "6:'' 1:{2:1}", CP_EOTHER, "value type" },
    { "period type out of range", "6:'' 11:{1:1}", CP_EOTHER, "value type" },
    { "function name out of range", "6:'' 5:{1:1 2:1}", CP_EOTHER, "function" },
    { "system name out of range", "6:'' 5:{1:1 3:1}", CP_EOTHER, "function" },
    { "file out of range", "6:'' 5:{1:1 4:-1}", CP_EOTHER, "function" },
    { "mapping file out of range", "6:'' 3:{1:1 5:1}", CP_EOTHER, "mapping" },
    { "build id out of range", "6:'' 3:{1:1 6:1}", CP_EOTHER, "mapping" },
    { "comment out of range", "6:'' 13:1", CP_EOTHER, "comment" },
    { "packed comment out of range", "6:'' 13:[0 1]", CP_EOTHER, "comment" },
    { "packed comment cut short", "6:'' 13:'\x80'", CP_EOTHER, "comment" },
    { "drop_frames out of range", "6:'' 7:1", CP_EOTHER, "out of range" },
    { "keep_frames out of range", "6:'' 8:1", CP_EOTHER, "out of range" },
    { "default type out of range", "6:'' 14:1", CP_EOTHER, "out of range" },
    { "doc_url out of range", "6:'' 15:1", CP_EOTHER, "out of range" },
    { "label key out of range", REST "2:{1:1 2:1 3:{1:99 2:6}}", CP_EFORMAT,
      "label's string index" },
    { "label text out of range", REST "2:{1:1 2:1 3:{1:5 2:99}}", CP_EFORMAT,
      "label's string index" },
    { "label unit out of range", REST "2:{1:1 2:1 3:{1:5 3:1 4:99}}",
      CP_EFORMAT, "label's string index" },
    { "a type that is a number", "1:5", CP_EOTHER,
      "field 1 has a wrong wire type" },
    { "a sample that is a number", "2:5", CP_EOTHER, "field 2" },
    { "a string that is a number", "6:5", CP_EOTHER, "field 6" },
    { "a time that is text", "6:'' 9:'x'", CP_EOTHER, "field 9" },
    { "a period that is fixed", "6:'' 12:F8", CP_EOTHER, "field 12" },
    { "a fixed comment", "6:'' 13:F4", CP_EOTHER, "field 13" },
    { "a mapping's id is text", "6:'' 3:{1:'x'}", CP_EOTHER, "mapping" },
    { "a function's id is fixed", "6:'' 5:{1:F4}", CP_EOTHER, "function" },
    { "a location's id is text", "6:'' 4:{1:'x'}", CP_EOTHER, "location" },
    { "a line that is a number", "6:'' 4:{1:1 4:1}", CP_EOTHER, "location" },
    { "a line's function is text", "6:'' 4:{1:1 4:{1:'x'}}", CP_EOTHER,
      "line" },
    { "a location id is fixed", REST "2:{1:F4 2:1}", CP_EFORMAT,
      "sample 0 cannot be decoded" },
    { "a value is fixed", REST "2:{1:1 2:F8}", CP_EFORMAT,
      "cannot be decoded" },
    { "a label that is a number", REST "2:{1:1 2:1 3:5}", CP_EFORMAT,
      "cannot be decoded" },
    { "a label's key is text", REST "2:{1:1 2:1 3:{1:'x'}}", CP_EFORMAT,
      "label cannot be decoded" },
    { "a label is cut short", REST "2:{1:1 2:1 3:{1:!}}", CP_EFORMAT,
      "label cannot be decoded" },
    { "packed locations cut short", REST "2:{1:'\x80' 2:1}", CP_EFORMAT,
      "cannot be decoded" },
    { "packed values cut short", REST "2:{1:1 2:'\x80'}", CP_EFORMAT,
      "cannot be decoded" },
    { "packed varint of eleven bytes",
      REST "2:{1:'\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01' 2:1}",
      CP_EFORMAT, "cannot be decoded" },
    { "a sample cut short", REST "2:{1:1 2:!}", CP_EFORMAT,
      "sample 0 is truncated" },
    { "a group", "6:'' 20:G", CP_EOTHER, "not a protobuf message" },
    { "a group in a sample", REST "2:{1:1 2:1 7:G}", CP_EFORMAT,
      "is truncated" },
    { "a group in a mapping", "6:'' 3:{1:1 20:G}", CP_EOTHER, "mapping" },
    { "a field past the end", "6:'' 6:!", CP_EOTHER,
      "not a protobuf message at byte 2" },
    { "mapping 0", "6:'' 3:{2:5}", CP_EFORMAT,
      "malformed profile: found mapping with reserved ID=0" },
    { "function 0", "6:'' 5:{1:0}", CP_EFORMAT, "found function with" },
    { "location 0", "6:'' 4:{3:5}", CP_EFORMAT, "found location with" },
    { "mapping twice", "6:'' 3:{1:5} 3:{1:5}", CP_EFORMAT,
      "malformed profile: multiple mappings with same id: 5" },
    { "function twice", "6:'' 5:{1:5} 5:{1:6} 5:{1:5}", CP_EFORMAT,
      "multiple functions with same id: 5" },
    { "location twice",
      "6:'' 4:{1:18446744073709551615} "
      "4:{1:18446744073709551615}",
      CP_EFORMAT, "multiple locations with same id: 18446744073709551615" },
    { "a location that is not there", REST "2:{1:1 2:1} 2:{1:3 2:1}",
      CP_EFORMAT, "malformed profile: sample 1 refers to a location id" },
    { "location 0 in a stack", REST "2:{1:[1 0] 2:1}", CP_EFORMAT,
      "sample 0 refers to a location id" },
    { "a function that is not there", STRINGS "4:{1:1 4:{1:9}}", CP_EFORMAT,
      "function id 9" },
    { "a line without function", STRINGS "4:{1:1 4:{2:9}}", CP_EFORMAT,
      "function id 0" },
    { "no values", REST "2:{1:1}", CP_EFORMAT,
      "malformed profile: mismatch: sample has 0 values vs. 1 types" },
    { "too many values", REST "2:{1:1 2:[1 2 3]}", CP_EFORMAT,
      "sample has 3 values vs. 1 types" },
    { "no types", STRINGS "2:{2:[]}", CP_EFORMAT,
      "malformed profile: missing sample type information" },
    { "two profiles", "9:5 " REST "9:6", CP_EFORMAT,
      "concatenated profiles detected" },
    { "the same twice", REST "9:5 9:5", CP_EFORMAT, "concatenated" },
};

static void test_bad(void)
{
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct cp_error err = { 0 };
        struct cp_profile *p;

        check_case(bad[i].what);
        p = decode(bad[i].message, &err);
        CHECK(!p);
        CHECK_INT(err.status, bad[i].want);
        if (!CHECK(strstr(err.msg, bad[i].msg)))
            printf("    got  \"%s\"\n", err.msg);
        CHECK(!decode(bad[i].message, NULL));
        cp_profile_free(p);
    }
}

static void test_all_fields(void)
{
    struct cp_profile *p = decode(
        "6:'' 6:'a' 6:'b' 6:'c' 6:'d' 6:'e' 1:{1:1 2:2} 1:{1:3 2:4} "
        "3:{1:7 2:0x1000 3:0x3000 4:0x200 5:1 6:2 7:1 8:0 9:1 10:0} "
        "3:{1:8 7:0 8:1 9:0 10:5} "
        "4:{1:9 2:8 3:0xffffffffffffffff 5:1 4:{1:5 2:-1 3:77}} "
        "5:{1:5 2:1 3:2 4:3 5:-44} 7:1 8:2 9:123456789012 10:-5 11:{1:3 2:4} "
        "12:-6 13:[1 2] 13:3 13:0 14:4 15:5 12:1000",
        NULL);

    CHECK_INT(p->n_types, 2);
    CHECK_STR(cp_profile_cstr(p, p->types[1].type), "c");
    CHECK_STR(cp_profile_cstr(p, p->types[1].unit), "d");
    CHECK_INT(p->n_mappings, 2);
    CHECK_INT(p->mappings[0].id, 7);
    CHECK_INT(p->mappings[0].start, 0x1000);
    CHECK_INT(p->mappings[0].limit, 0x3000);
    CHECK_INT(p->mappings[0].offset, 0x200);
    CHECK_STR(cp_profile_cstr(p, p->mappings[0].file), "a");
    CHECK_STR(cp_profile_cstr(p, p->mappings[0].build_id), "b");
    CHECK(p->mappings[0].has_functions && !p->mappings[0].has_filenames);
    CHECK(p->mappings[0].has_line_numbers && !p->mappings[0].has_inline_frames);
    CHECK(!p->mappings[1].has_functions && p->mappings[1].has_filenames);
    CHECK(!p->mappings[1].has_line_numbers && p->mappings[1].has_inline_frames);
    CHECK_INT(p->locations[0].id, 9);
    CHECK_INT(p->locations[0].mapping, 1);
    CHECK_INT(p->locations[0].address, -1);
    CHECK(p->locations[0].is_folded);
    CHECK_INT(p->locations[0].n_lines, 1);
    CHECK_INT(p->lines[0].line, -1);
    CHECK_INT(p->lines[0].column, 77);
    CHECK_INT(p->functions[0].id, 5);
    CHECK_STR(cp_profile_cstr(p, p->functions[0].name), "a");
    CHECK_STR(cp_profile_cstr(p, p->functions[0].system_name), "b");
    CHECK_STR(cp_profile_cstr(p, p->functions[0].filename), "c");
    CHECK_INT(p->functions[0].start_line, -44);
    CHECK_STR(cp_profile_cstr(p, p->drop_frames), "a");
    CHECK_STR(cp_profile_cstr(p, p->keep_frames), "b");
    CHECK_INT(p->time_ns, 123456789012);
    CHECK_INT(p->duration_ns, -5);
    CHECK_STR(cp_profile_cstr(p, p->period_type.type), "c");
    CHECK_STR(cp_profile_cstr(p, p->period_type.unit), "d");
    CHECK_INT(p->period, 1000);
    CHECK_INT(p->n_comments, 4);
    CHECK_STR(cp_profile_cstr(p, p->comments[1]), "b");
    CHECK_STR(cp_profile_cstr(p, p->comments[2]), "c");
    CHECK_STR(cp_profile_cstr(p, p->comments[3]), "");
    CHECK_STR(cp_profile_cstr(p, p->default_type), "d");
    CHECK_STR(cp_profile_cstr(p, p->doc_url), "e");
    cp_profile_free(p);
}

/* Equal labels share a set, however they are encoded. */
static void test_label_sets_are_shared(void)
{
    struct cp_profile *p = decode(
        REST "2:{2:1 3:{1:5 2:6} 3:{1:9 3:2}} 2:{2:1 3:{1:9 3:2} 3:{1:5 2:6}} "
             "2:{2:1 3:{2:6 1:5} 3:{1:9 3:2}} 2:{2:1 3:{1:5}}",
        NULL);

    CHECK_INT(p->n_label_sets, 2);
    CHECK_INT(p->samples[0].label_set, 1);
    CHECK_INT(p->samples[1].label_set, 1);
    CHECK_INT(p->samples[2].label_set, 1);
    CHECK_INT(p->samples[3].label_set, 0);
    cp_profile_free(p);
}

static void test_deep_stacks(void)
{
    for (uint32_t more = 0; more < 2; more++) {
        struct cp_out o = { .fd = -1 }, stack = { .fd = -1 }, s = { .fd = -1 };
        struct cp_error err = { 0 };
        struct cp_profile *p;
        struct cp_bytes raw;

        cp_out_fill(&stack, 1, CP_MAX_DEPTH + more);
        proto_bytes(&s, 1, stack.buf, stack.len);
        (void)proto_message("2:1", &s);
        proto_bytes(&o, 2, s.buf, s.len);
        (void)proto_message(REST, &o);
        raw = bytes_of(o.buf, o.len);
        p = cp_decode(&raw, true, &err);
        CHECK_INT(p != NULL, more == 0);
        CHECK(!p || p->samples[0].n_locs == CP_MAX_DEPTH);
        CHECK_INT(err.status, more ? CP_EFORMAT : CP_OK);
        CHECK(!more || strstr(err.msg, "sample 0 has 1048577 locations"));
        cp_profile_free(p);
        cp_bytes_release(&raw);
        cp_out_release(&s);
        cp_out_release(&stack);
        cp_out_release(&o);
    }
}

#define MANY 40000u

/* Sample i has value i, 1 + i % 3 frames, and labels that depend on i. */
static void put_sample(struct cp_out *o, uint32_t i, struct cp_out *room)
{
    static const char *const stacks[] = { "\1", "\1\2", "\2\2\1" };
    char number[8] = { 1 << 3, 5, 3 << 3 };
    uint32_t n = i % 1000 + 1;

    number[3] = (char)(n | 0x80);
    number[4] = (char)(n >> 7);
    room->len = 0;
    proto_bytes(room, 1, stacks[i % 3], i % 3 + 1);
    proto_varint(room, 2 << 3);
    proto_varint(room, i);
    proto_bytes(room, 3, number, 5);
    if (i % 4 == 0) { /* not contiguous with the previous label */
        proto_varint(room, 9 << 3);
        proto_varint(room, 1);
        proto_bytes(room, 3, "\x8\5\x10\6", 4);
    }
    proto_bytes(o, 2, room->buf, room->len);
}

static struct cp_bytes many_samples(uint32_t n, bool has_comments,
                                    const char *last)
{
    struct cp_out o = { .fd = -1 }, room = { .fd = -1 };
    struct cp_bytes raw;

    (void)proto_message(REST, &o);
    for (uint32_t i = 0; i < n; i++) {
        put_sample(&o, i, &room);
        if (has_comments) {
            proto_varint(&o, 13 << 3);
            proto_varint(&o, 1);
        }
    }
    (void)proto_message(last, &o);
    raw = bytes_of(o.buf, o.len);
    cp_out_release(&room);
    cp_out_release(&o);
    return raw;
}

static bool is_sample(const struct cp_profile *p, uint32_t i)
{
    static const uint32_t stacks[3][3] = { { 0 }, { 0, 1 }, { 1, 1, 0 } };
    const struct cp_sample *s = &p->samples[i];
    const struct cp_label_set *set = &p->label_sets[s->label_set];
    const struct cp_label *number = &p->labels[set->labels + set->n_labels - 1];
    uint32_t n = i % 3 + 1;

    return p->values[i] == i && s->n_locs == n &&
           memcmp(cp_profile_stack(p, i), stacks[n - 1], n * 4) == 0 &&
           set->n_labels == (i % 4 == 0 ? 2 : 1) && number->num == i % 1000 + 1;
}

static void check_many(uint32_t n, bool has_comments, bool may_discard)
{
    struct cp_bytes raw = many_samples(n, has_comments, "");
    struct cp_error err = { 0 };
    struct cp_profile *p = cp_decode(&raw, may_discard, &err);
    uint32_t n_right = 0, n_in_order = 0;

    CHECK_STR(err.msg, "");
    CHECK_INT(p->n_samples, n);
    for (uint32_t i = 0; i < n; i++)
        n_right += is_sample(p, i);
    for (uint32_t i = 0; i < 1000;
         i++) /* sets are numbered in the order of first use */
        n_in_order += p->samples[i].label_set == i + 1;
    CHECK_INT(n_right, n);
    CHECK_INT(n_in_order, 1000);
    CHECK_INT(p->n_label_sets, 1001);
    cp_profile_free(p);
    cp_bytes_release(&raw);
}

static void many(void)
{
    check_many(MANY, false, false);
    check_many(MANY, false, true);
}

static void test_many_samples(void)
{
    on_all_and_one_core(many);
}

/* Each sample is a run of its own. */
static void scattered(void)
{
    check_many(2000, true, true);
}

static void test_scattered_samples(void)
{
    on_all_and_one_core(scattered);
}

static void late_error(void)
{
    struct cp_bytes raw = many_samples(MANY, false, "2:{1:77 2:1}");
    struct cp_error err = { 0 };

    CHECK(!cp_decode(&raw, true, &err));
    CHECK_INT(err.status, CP_EFORMAT);
    CHECK_STR(err.msg,
              "malformed profile: sample 40000 refers to a location id "
              "that does not exist");
    cp_bytes_release(&raw);
    raw = many_samples(MANY, false, "2:{2:!}");
    CHECK(!cp_decode(&raw, true, &err));
    CHECK_STR(err.msg, "malformed profile: sample 40000 is truncated");
    cp_bytes_release(&raw);
    raw = many_samples(MANY, false, "2:{2:1 3:{1:'x'}}");
    CHECK(!cp_decode(&raw, true, &err));
    CHECK_STR(err.msg, "malformed profile: a label cannot be decoded");
    cp_bytes_release(&raw);
}

static void test_error_in_the_last_sample(void)
{
    on_all_and_one_core(late_error);
}

/* The profile does not refer to the input bytes. */
static void test_bytes_may_go(void)
{
    struct cp_bytes raw = proto_file(REST "2:{1:[1 2] 2:5 3:{1:5 2:6}}");
    struct cp_profile *p = cp_decode(&raw, false, NULL);

    memset(raw.data, 0xff, raw.len);
    cp_bytes_release(&raw);
    CHECK_STR(profile_text(p), "5 g|f k:v\n");
    cp_profile_free(p);
}

/*
 * Every truncation of a message is refused or decoded, and never read past its
 * end.
 */
static void test_cut_anywhere(void)
{
    struct cp_bytes whole = proto_file(
        REST "3:{1:1 2:300 5:6} 9:5 13:[1 2] "
             "2:{1:[1 2] 2:5 3:{1:5 2:6} 3:{1:5 3:300 4:7}} 11:{1:1}");

    for (size_t len = 0; len < whole.len; len++) {
        uint8_t *cut = malloc(len ? len : 1);
        struct cp_bytes raw = { cut, len, len };
        struct cp_error err = { 0 };
        struct cp_profile *p;

        memcpy(cut, whole.data, len);
        p = cp_decode(&raw, false, &err);
        CHECK_INT(p == NULL, err.status != CP_OK);
        cp_profile_free(p);
        free(cut);
    }
    cp_bytes_release(&whole);
}

static void runs_out(void)
{
    struct cp_bytes raw = many_samples(3000, true, "3:{1:1} 13:[1 2 3]");
    struct cp_profile *p = NULL;
    long n = 1;

    for (; n < 2000 && !p; n++) {
        struct cp_error err = { 0 };

        cp_alloc_fail_at(n);
        p = cp_decode(&raw, false, &err);
        cp_alloc_fail_at(0);
        CHECK_INT(err.status, p ? CP_OK : CP_ENOMEM);
    }
    CHECK(p != NULL);
    CHECK(n > 20);
    cp_profile_free(p);
    cp_bytes_release(&raw);
}

static void test_memory_runs_out(void)
{
    on_all_and_one_core(runs_out);
}

/* A profile with n sample types and nothing else. */
static enum cp_status decode_types(uint32_t n)
{
    struct cp_out o = { .fd = -1 };
    struct cp_error err = { 0 };
    struct cp_profile *p;
    struct cp_bytes raw;

    (void)proto_message("6:''", &o);
    for (uint32_t i = 0; i < n; i++)
        (void)proto_message("1:{}", &o);
    raw = bytes_of(o.buf, o.len);
    p = cp_decode(&raw, false, &err);
    CHECK(!p || p->n_types == n);
    cp_profile_free(p);
    cp_bytes_release(&raw);
    cp_out_release(&o);
    return err.status;
}

static void test_sample_types_are_limited(void)
{
    CHECK_INT(decode_types(CP_MAX_TYPES), CP_OK);
    CHECK_INT(decode_types(CP_MAX_TYPES + 1), CP_EFORMAT);
}

int main(void)
{
    RUN(test_good);
    RUN(test_bad);
    RUN(test_all_fields);
    RUN(test_label_sets_are_shared);
    RUN(test_deep_stacks);
    RUN(test_many_samples);
    RUN(test_scattered_samples);
    RUN(test_error_in_the_last_sample);
    RUN(test_bytes_may_go);
    RUN(test_cut_anywhere);
    RUN(test_memory_runs_out);
    RUN(test_sample_types_are_limited);
    return check_failures != 0;
}
