/* version - of the project; the build says which. */
#ifndef CP_VERSION_H
#define CP_VERSION_H

#ifndef CP_VERSION
#define CP_VERSION "unknown"
#endif

#endif
