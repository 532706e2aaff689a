/*
 * addr2line - `cpprof addr2line`, a replacement for binutils' addr2line.
 *
 * It accepts the same options and prints the same output, faster. The
 * executable also behaves so when it is called by the name addr2line.
 */
#ifndef CP_ADDR2LINE_H
#define CP_ADDR2LINE_H

/* argv[0] is the name of the command; returns the exit status. */
int cp_addr2line_main(int argc, char **argv);

#endif
