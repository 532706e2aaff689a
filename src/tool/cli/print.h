/* print - lines for a person, on standard error. */
#ifndef CP_PRINT_H
#define CP_PRINT_H

/*
 * Prints both parts and a newline. Control bytes, which may come out of a
 * file that is no profile, are shown as \xNN; on a terminal everything else
 * that is not printable (base/printable.h) is shown as an escape as well.
 */
void cp_print_line(const char *before, const char *line);

#endif
