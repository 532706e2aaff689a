/* print.c - escapes and prints one message line. */
#include "tool/cli/print.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/printable.h"

void cp_print_line(const char *before, const char *line)
{
    bool is_terminal = isatty(STDERR_FILENO);
    size_t len = strlen(line), used = 0;
    char text[2048];

    for (size_t i = 0; i < len && used + CP_PRINTABLE_BYTES < sizeof(text);) {
        unsigned char c = (unsigned char)line[i];
        size_t n = 1;

        if (is_terminal || (c < 0x20 && c != '\t') || c == 0x7f)
            i += cp_printable_next(line + i, len - i, text + used, &n);
        else
            text[used] = line[i++];
        if (c == '\n')
            n = (size_t)sprintf(text + used, "\\x0a");
        used += n;
    }
    text[used] = '\0';
    (void)fprintf(stderr, "%s%s\n", before, text);
}
