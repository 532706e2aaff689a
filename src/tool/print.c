/* print.c - see print.h. */
#include "tool/print.h"

#include <stdio.h>

void cp_print_line(const char *before, const char *line)
{
    char text[2048];
    size_t n = 0;

    for (; *line && n + 8 < sizeof(text); line++) {
        unsigned char c = (unsigned char)*line;

        if ((c < 0x20 && c != '\t') || c == 0x7f)
            n += (size_t)sprintf(text + n, "\\x%02x", c);
        else
            text[n++] = (char)c;
    }
    text[n] = '\0';
    (void)fprintf(stderr, "%s%s\n", before, text);
}
