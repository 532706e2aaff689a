/* truth.h - shared declarations of truth and its plugin. */
#ifndef CP_TRUTH_H
#define CP_TRUTH_H

/* The work of one part; `rounds` is its amount. */
typedef void truth_work(unsigned long rounds);

/* The loop of most work; the compiler must not optimize it away. */
#define TRUTH_WORK(n)                                                          \
    do {                                                                       \
        unsigned long i_ = (n), x_ = i_;                                       \
        while (i_-- > 0) {                                                     \
            x_ = x_ * 6364136223846793005u + 1442695040888963407u;             \
            __asm__ volatile("" : "+r"(x_));                                   \
        }                                                                      \
    } while (0)

#ifdef __cplusplus
extern "C" {
#endif
void seventy_throws(unsigned long rounds);
void twenty_throws(unsigned long rounds);
void ten_throws(unsigned long rounds);
#ifdef __cplusplus
}
#endif

#endif
