/* print - lines for a person, on standard error. */
#ifndef CP_PRINT_H
#define CP_PRINT_H

/*
 * Prints both parts and a newline. Control bytes, which may come out of a
 * file that is no profile, are shown as \xNN and not sent to the terminal.
 */
void cp_print_line(const char *before, const char *line);

#endif
