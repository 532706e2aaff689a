"""verdict: is a difference explained by how the test behaves without the library?

The outcomes of a test are counted by mode. The reference are the runs without
the library, on a machine as it is and under load. What a test mostly does there
is its usual outcome; anything else is a deviation. A mode in which deviations are
more frequent than in the reference, by Fisher's exact test at 5 %, or in which
they came twice and there never, is not explained."""
import math

SIGNIFICANCE = 0.05


def fisher(k, n, k0, n0):
    """Chance of k or more deviations among n of n + n0 runs, given k + k0 in all."""
    total = math.comb(n + n0, k + k0)
    return sum(math.comb(n, i) * math.comb(n0, k + k0 - i)
               for i in range(k, min(n, k + k0) + 1) if k + k0 - i <= n0) / total


def judge(reference, modes):
    """One word for counters of outcomes: the reference's and a list of the modes'."""
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
    """Deviations of runs, and what they were: `2 of 10 (failed)`."""
    n = sum(counter.values())
    others = [name for name in counter if name != usual]
    what = ", ".join([brief(name) for name in others[:2]] + ["..."] * (len(others) > 2))
    return f"{n - counter[usual]} of {n}" + (f" ({what})" if what else "")


def brief(outcome):
    """An outcome as short as a table needs it."""
    return outcome if len(outcome) <= 24 else outcome[:21] + "..."
