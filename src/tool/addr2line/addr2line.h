/*
 * addr2line - `cpprof addr2line`, a stand-in for the one of binutils.
 *
 * Takes its options and prints what it prints, so that programs which call
 * addr2line become fast by calling this. Also the program's behaviour when it
 * is called by the name of addr2line.
 */
#ifndef CP_ADDR2LINE_H
#define CP_ADDR2LINE_H

/* argv[0] is the name of the command; returns the exit status. */
int cp_addr2line_main(int argc, char **argv);

#endif
