/* print - messages to the user on standard error. */
#ifndef CP_PRINT_H
#define CP_PRINT_H

/*
 * Prints both parts and a newline. Shows control bytes, which may come from an
 * input file, as \xNN. On a terminal it also escapes every other character that
 * is not printable (base/printable.h).
 */
void cp_print_line(const char *before, const char *line);

#endif
