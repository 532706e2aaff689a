"""verdict: decide whether a test deviates more often with the library than without it.

The reference is the runs without the library, with and without load. The most frequent
outcome there is the usual one; any other is a deviation. A mode is unexplained if
deviations are more frequent than in the reference by Fisher's exact test at 5 %, or
if they occurred twice and never in the reference."""
import math

SIGNIFICANCE = 0.05


def fisher(k, n, k0, n0):
    """Probability of k or more deviations in n of n + n0 runs, given k + k0 in all."""
    total = math.comb(n + n0, k + k0)
    return sum(math.comb(n, i) * math.comb(n0, k + k0 - i)
               for i in range(k, min(n, k + k0) + 1) if k + k0 - i <= n0) / total


def judge(reference, modes):
    """The verdict for the outcomes of the reference and of each mode."""
    usual = reference.most_common(1)[0][0]
    n0 = sum(reference.values())
    k0 = n0 - reference[usual]
    words = set()
    for counter in modes:
        n = sum(counter.values())
        k = n - counter[usual]
        if k and (fisher(k, n, k0, n0) < SIGNIFICANCE or (k0 == 0 and k > 1)):
            words.add("unexplained")
        elif k and k0 == 0:
            words.add("not reproduced")
        else:
            words.add("flake")
    return next(word for word in ("unexplained", "not reproduced", "flake") if word in words)


def rate(counter, usual):
    """Number and kind of deviations, such as `2 of 10 (failed)`."""
    n = sum(counter.values())
    others = [name for name in counter if name != usual]
    what = ", ".join([brief(name) for name in others[:2]] + ["..."] * (len(others) > 2))
    return f"{n - counter[usual]} of {n}" + (f" ({what})" if what else "")


def brief(outcome):
    """An outcome, shortened for the table."""
    return outcome if len(outcome) <= 24 else outcome[:21] + "..."
