/*
 * text_lines - scans text by line and by word.
 *
 * Used by the readers of text formats. A struct cp_text is a borrowed range of
 * bytes and a cursor at once: functions that take a pointer consume from its
 * front. They allocate nothing and need no terminating NUL. A function that
 * finds nothing leaves the cursor.
 *
 * White space is blank, tab, form feed, return and newline.
 */
#ifndef CP_TEXT_LINES_H
#define CP_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cp_text {
    const char *pos, *end;
};

static inline struct cp_text cp_text_of(const char *bytes, size_t len)
{
    return (struct cp_text){ bytes, bytes + len };
}

static inline size_t cp_text_len(struct cp_text t)
{
    return (size_t)(t.end - t.pos);
}

/* Arguments for "%.*s"; truncates text to the capacity of an error message. */
#define CP_TEXT_ARG(t)                                                         \
    (int)(cp_text_len(t) < 1000 ? cp_text_len(t) : 1000), (t).pos

static inline bool cp_text_is_white(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v');
}

static inline bool cp_text_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns the value of a hexadecimal digit of either case, or -1. */
int cp_text_hex_value(char c);

/* Consumes a line; *line excludes the newline. False at the end. */
bool cp_text_next_line(struct cp_text *rest, struct cp_text *line);

/* Returns the string without white space and vertical tabs at both ends. */
struct cp_text cp_text_trim(struct cp_text t);

/* Whether the line is empty, white space or a # comment. */
bool cp_text_is_blank(struct cp_text t);
bool cp_text_is_comment(struct cp_text t);

bool cp_text_equals(struct cp_text t, const char *literal);
bool cp_text_starts(struct cp_text t, const char *literal);

/* Returns the first occurrence of the literal, or NULL. */
const char *cp_text_find(struct cp_text t, const char *literal);

/* Consumes the literal; false if the string does not begin with it. */
bool cp_text_consume(struct cp_text *t, const char *literal);

/*
 * Consume all blanks or white space at the front; return the number of bytes.
 */
size_t cp_text_consume_blanks(struct cp_text *t);
size_t cp_text_consume_white(struct cp_text *t);

/*
 * Consume one or more digits, or bytes of `set`, and return them in *out; false
 * if none.
 */
bool cp_text_consume_digits(struct cp_text *t, struct cp_text *out);
bool cp_text_consume_hex(struct cp_text *t, struct cp_text *out);
bool cp_text_consume_set(struct cp_text *t, const char *set,
                         struct cp_text *out);

/* Consume one or more digits or blanks from the end. */
bool cp_text_consume_last_digits(struct cp_text *t, struct cp_text *out);
bool cp_text_consume_last_blanks(struct cp_text *t);

/* Consumes up to the next white space; false if that is nothing. */
bool cp_text_consume_word(struct cp_text *t, struct cp_text *out);

/*
 * Consumes up to the end of the next lower-case 0x number and returns its
 * digits; false if there is none.
 */
bool cp_text_consume_address(struct cp_text *t, struct cp_text *out);

/*
 * Parses the whole string as a decimal number; false if it is not one or does
 * not fit *out.
 */
bool cp_text_to_int(struct cp_text t, int64_t *out);
bool cp_text_to_hex(struct cp_text t, uint64_t *out);

/*
 * Parses a number in Go's syntax: a sign, 0x, 0o, 0b or a leading 0 for octal,
 * and single underscores between digits.
 */
bool cp_text_to_literal(struct cp_text t, int64_t *out);

#endif
