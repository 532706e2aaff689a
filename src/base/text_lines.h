/*
 * text_lines - walks over text a line and a word at a time.
 *
 * Under the readers of the legacy text formats. A struct cp_text is a piece
 * of somebody else's bytes and a cursor at once: the functions that take a
 * pointer eat from its front. Nothing is allocated, nothing needs a closing
 * NUL, and a function that finds nothing leaves its cursor where it was.
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

/* For "%.*s"; text beyond what an error message holds is cut. */
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

/* The value of a hexadecimal digit of either case, or -1. */
int cp_text_hex_value(char c);

/* Eats a line; *line is without its newline. False at the end. */
bool cp_text_next_line(struct cp_text *rest, struct cp_text *line);

/* The text without white space (and vertical tabs) at both ends. */
struct cp_text cp_text_trim(struct cp_text t);

/* Whether nothing but white space, or a # line, is there. */
bool cp_text_is_blank(struct cp_text t);
bool cp_text_is_comment(struct cp_text t);

bool cp_text_equals(struct cp_text t, const char *literal);
bool cp_text_starts(struct cp_text t, const char *literal);

/* Where the literal stands first, or NULL. */
const char *cp_text_find(struct cp_text t, const char *literal);

/* Eats the literal; false when something else is there. */
bool cp_text_eat(struct cp_text *t, const char *literal);

/* Eat what there is of it, and say how many bytes that was. */
size_t cp_text_eat_blanks(struct cp_text *t);
size_t cp_text_eat_white(struct cp_text *t);

/* Eat one digit at least, or bytes of `set`; what was eaten is in *out. */
bool cp_text_eat_digits(struct cp_text *t, struct cp_text *out);
bool cp_text_eat_hex(struct cp_text *t, struct cp_text *out);
bool cp_text_eat_set(struct cp_text *t, const char *set, struct cp_text *out);

/* Eat from the end: one digit or one blank at least. */
bool cp_text_eat_last_digits(struct cp_text *t, struct cp_text *out);
bool cp_text_eat_last_blanks(struct cp_text *t);

/* Eats up to the next white space; false when that is nothing. */
bool cp_text_eat_word(struct cp_text *t, struct cp_text *out);

/*
 * Eats the next lower-case 0x number, and what stands before it, and gives
 * its digits; false when there is no more.
 */
bool cp_text_eat_address(struct cp_text *t, struct cp_text *out);

/* The number that all of the text is; false if it does not fit *out. */
bool cp_text_to_int(struct cp_text t, int64_t *out);
bool cp_text_to_hex(struct cp_text t, uint64_t *out);

/*
 * The same for a number as in a program: a sign, 0x, 0o, 0b or a leading 0
 * for octal, and single underscores between digits.
 */
bool cp_text_to_literal(struct cp_text t, int64_t *out);

#endif
