/* truth.h - declarations shared by the parts of the truth program. */
#ifndef CP_TRUTH_H
#define CP_TRUTH_H

/* The work of a part; `rounds` is its amount. */
typedef void truth_work(unsigned long rounds);

/* The loop that does most of the work; opaque to the optimizer. */
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
