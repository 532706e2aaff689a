#!/usr/bin/env python3
"""reports: compare the speed of build/pprof with google/pprof on generated profiles.

Both tools get the same profile and flags in turn, and their outputs must be equal.
Figures are medians of runs with discarded output. A reference run of over 20 s is not
repeated; one that exceeds the time or memory limit is stopped and shown as "over". The
floor is a program that only inflates the file and adds up its bytes (bench/floor.c).

`make bench` builds and runs this; BENCH_ARGS passes options. The reference is
$PPROF_REF, the google/pprof of `go install`, or `go tool pprof`."""
import argparse
import collections
import hashlib
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = ROOT / "build/bench"
OURS = [str(ROOT / "build/pprof")]

FUNCTIONS = {10_000: 1_000, 100_000: 1_000, 1_000_000: 10_000}
LONG_RUN_S = 20
MERGED_FILES = 100
STARTUP_SAMPLES = 150  # makes a file of about 10 KB

# {base} is a second profile of the same shape.
REPORTS = {
    "top": ["-top"],
    "tree": ["-tree"],
    "peek": ["-peek=step_7$"],
    "dot": ["-dot"],
    "traces": ["-traces"],
    "raw": ["-raw"],
    "proto": ["-proto"],
    "tagfocus": ["-top", "-tagfocus=endpoint=items/7$"],
    "diff_base": ["-top", "-diff_base={base}"],
}

Run = collections.namedtuple("Run", "wall cpu mb end")
Row = collections.namedtuple("Row", "profile report ours ref floor same")


def parse_args():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true",
                        help="10k samples, three runs, unless told otherwise")
    parser.add_argument("--sizes", help="samples in a profile, comma-separated"
                        " (10000,100000,1000000)")
    parser.add_argument("--labels", choices=["labels", "plain", "both"],
                        default="both")
    parser.add_argument("--reports", default=",".join(REPORTS),
                        help="which, comma-separated")
    parser.add_argument("--runs", type=int, help="of each tool (5)")
    parser.add_argument("--max-seconds", type=float, default=300)
    parser.add_argument("--max-mb", type=int, default=memory_mb() * 3 // 4,
                        help="resident memory a run may take")
    parser.add_argument("--no-reference", action="store_true",
                        help="measure only our own tool")
    parser.add_argument("--cache", type=pathlib.Path,
                        default=ROOT / "build/bench-data",
                        help="where generated profiles are kept")
    parser.add_argument("--output", type=pathlib.Path,
                        help="write the table there as well")
    args = parser.parse_args()
    args.runs = args.runs or (3 if args.quick else 5)
    sizes = args.sizes or ("10000" if args.quick else "10000,100000,1000000")
    args.sizes = [int(size) for size in sizes.split(",")]
    args.reports = args.reports.split(",")
    unknown = set(args.reports) - set(REPORTS)
    if unknown:
        parser.error(f"no such report: {', '.join(sorted(unknown))}")
    return args


def memory_mb():
    pages = os.sysconf("SC_PHYS_PAGES")
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20


def find_reference():
    """Returns the command and name of the reference, or None."""
    if os.environ.get("PPROF_REF"):
        command = shlex.split(os.environ["PPROF_REF"])
        return command, "pprof ($PPROF_REF)"
    go = shutil.which("go")
    gopath = pathlib.Path.home() / "go"
    if go:
        out = subprocess.run([go, "env", "GOPATH"], capture_output=True,
                             text=True)
        gopath = pathlib.Path(out.stdout.strip() or gopath)
    program = gopath / "bin/pprof"
    if program.exists():
        return [str(program)], "google/pprof" + module_version(go, program)
    if go:
        return [go, "tool", "pprof"], "go tool pprof"
    return None, None


def module_version(go, program):
    if not go:
        return ""
    out = subprocess.run([go, "version", "-m", str(program)],
                         capture_output=True, text=True)
    for line in out.stdout.splitlines():
        fields = line.split()
        if fields[:1] == ["mod"] and len(fields) > 2:
            return " " + fields[2]
    return ""


class Bench:
    def __init__(self, args, reference):
        self.args = args
        self.reference = reference
        self.rows = []
        args.cache.mkdir(parents=True, exist_ok=True)
        self.tmp = tempfile.TemporaryDirectory(dir=args.cache)
        self.env = dict(os.environ, TZ="UTC", HOME=self.tmp.name,
                        PPROF_TMPDIR=self.tmp.name)

    def profile(self, samples, functions, seed, labels):
        """Path of a generated profile; generates it on first use."""
        name = f"{samples}-{functions}-{seed}-{labels}.pb.gz"
        path = self.args.cache / name
        if not path.exists():
            part = path.with_suffix(".part")
            subprocess.run([BIN / "gen_profile", part, str(samples),
                            str(functions), str(seed), labels], check=True)
            part.rename(path)
        return str(path)

    def run(self, command, stdout=subprocess.DEVNULL):
        """Runs once under bench/meter; stdout may be a hash object."""
        figures = os.path.join(self.tmp.name, "figures")
        meter = [BIN / "meter", figures, str(self.args.max_seconds),
                 str(self.args.max_mb)]
        piped = stdout is not subprocess.DEVNULL
        with subprocess.Popen(
                meter + command, env=self.env, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if piped else stdout,
                stderr=subprocess.PIPE if not piped else subprocess.DEVNULL,
        ) as process:
            if piped:
                while chunk := process.stdout.read(1 << 20):
                    stdout.update(chunk)
            else:
                errors = process.stderr.read().decode(errors="replace")
        wall, cpu, kib, end = open(figures).read().split()
        if end not in ("0", "time", "memory"):
            said = "" if piped else errors.strip()[:300]
            print(f"bench: exit {end}: {shlex.join(command)}\n{said}",
                  file=sys.stderr)
        return Run(float(wall), float(cpu), int(kib) / 1024, end)

    def measure(self, tools, make_command, runs):
        """Measures each tool `runs` times, alternately.

        The first run of each hashes its output. It counts only if it was too long to
        be repeated."""
        first, digests, again = {}, {}, {}
        for name, tool in tools.items():
            hasher = hashlib.sha1()
            first[name] = self.run(make_command(name, tool), hasher)
            digests[name] = hasher.hexdigest()
            again[name] = []
        for _ in range(runs):
            for name, tool in tools.items():
                if first[name].wall <= LONG_RUN_S and first[name].end == "0":
                    again[name].append(self.run(make_command(name, tool)))
        return {name: (median(again[name] or [first[name]]), digests[name])
                for name in tools}

    def same_profiles(self, paths):
        """Whether build/pprof -raw of the written profiles is the same."""
        digests = set()
        for path in paths:
            hasher = hashlib.sha1()
            self.run(OURS + ["-symbolize=none", "-raw", path], hasher)
            digests.add(hasher.hexdigest())
        return len(digests) == 1

    def compare(self, name, flags, profiles, base=None, runs=None):
        """Adds the row of one report; name is (profile, report)."""
        runs = runs or self.args.runs
        flags = [flag.format(base=base) for flag in flags]
        read = profiles + ([base] if base else [])
        tools = {"ours": OURS}
        if self.reference:
            tools["ref"] = self.reference
        is_proto = "-proto" in flags

        def written(which):
            return os.path.join(self.tmp.name, which + ".pb.gz")

        def make_command(which, tool):
            output = ["-output=" + written(which)] if is_proto else []
            if is_proto:  # replacing a file makes ext4 write it to disk at once
                pathlib.Path(written(which)).unlink(missing_ok=True)
            return tool + ["-symbolize=none"] + flags + output + profiles

        measured = self.measure(tools, make_command, runs)
        floor = median([self.run([str(BIN / "floor")] + read)
                        for _ in range(runs)])
        ours, digest = measured["ours"]
        ref, same = None, None
        if self.reference:
            ref, ref_digest = measured["ref"]
            if ref.end == "0":
                same = (digest == ref_digest if not is_proto else
                        self.same_profiles([written("ours"), written("ref")]))
        row = Row(*name, ours, ref, floor, same)
        self.rows.append(row)
        print(table_line(row), flush=True)

    def run_all(self):
        args = self.args
        kinds = ["plain", "labels"] if args.labels == "both" else [args.labels]
        small = self.profile(STARTUP_SAMPLES, STARTUP_SAMPLES, 1, "plain")
        self.compare(("10 KB", "top"), ["-top"], [small],
                     runs=max(args.runs, 21))
        for size in args.sizes:
            for labels in kinds:
                self.run_reports(size, labels)
        each = 1_000 if args.quick else 10_000
        for labels in kinds:
            paths = [self.profile(each, 1_000, seed, labels)
                     for seed in range(1, MERGED_FILES + 1)]
            name = f"{MERGED_FILES} × {short(each)} {labels}"
            self.compare((name, "merge"), ["-proto"], paths)

    def run_reports(self, size, labels):
        functions = FUNCTIONS.get(size, max(1_000, size // 100))
        path = self.profile(size, functions, 1, labels)
        for report in self.args.reports:
            if report == "tagfocus" and labels == "plain":
                continue
            base = None
            if report == "diff_base":
                base = self.profile(size, functions, 2, labels)
            self.compare((f"{short(size)} {labels}", report),
                         REPORTS[report], [path], base)


def median(runs):
    middle = lambda field: statistics.median(
        getattr(run, field) for run in runs)
    bad = [run.end for run in runs if run.end != "0"]
    return Run(middle("wall"), middle("cpu"), middle("mb"),
               bad[0] if bad else "0")


def short(number):
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if number % size == 0:
            return f"{number // size}{letter}"
    return str(number)


HEAD = ("| profile | report | ours s | CPU s | MB | reference s | CPU s | MB "
        "| faster | memory | floor s | ours / floor | same |\n"
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|")


def table_line(row):
    def figures(run):
        if run is None:
            return ["", "", ""]
        if run.end not in ("0", "time", "memory"):
            return [f"failed ({run.end})", "", ""]
        over = "over " if run.end != "0" else ""
        return [f"{over}{run.wall:.3g}", f"{run.cpu:.3g}",
                f"{over if run.end == 'memory' else ''}{run.mb:.3g}"]

    faster = memory = ""
    if row.ref and row.ours.end == "0" and row.ref.end in ("0", "time",
                                                           "memory"):
        over = "over " if row.ref.end != "0" else ""
        faster = f"{over}{row.ref.wall / row.ours.wall:.1f}×"
        memory = f"1/{row.ref.mb / row.ours.mb:.1f}"
    same = {None: "not compared", True: "yes", False: "**no**"}[row.same]
    cells = [row.profile, row.report, *figures(row.ours), *figures(row.ref),
             faster, memory, f"{row.floor.wall:.3g}",
             f"{row.ours.wall / row.floor.wall:.1f}", same]
    return "| " + " | ".join(cells) + " |"


def growth_table(rows, sizes):
    """Prints the time per sample at each size; a constant means linear time."""
    names = {f"{short(size)} {labels}": (size, labels)
             for size in sizes for labels in ("plain", "labels")}
    found = collections.defaultdict(dict)
    for row in rows:
        if row.profile in names and row.ours.end == "0":
            size, labels = names[row.profile]
            found[row.report, labels][size] = row.ours.wall / size * 1e9
    lines = ["| report | labels | " +
             " | ".join(f"{short(size)}" for size in sizes) + " |",
             "|---|---|" + "--:|" * len(sizes)]
    for (report, labels), by_size in found.items():
        cells = [f"{by_size[size]:.0f}" if size in by_size else ""
                 for size in sizes]
        lines.append(f"| {report} | {labels} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    args = parse_args()
    for program in [*OURS, BIN / "gen_profile", BIN / "floor", BIN / "meter"]:
        if not pathlib.Path(program).exists():
            sys.exit(f"bench: no {program}; `make bench` builds it")
    reference, name = (None, None)
    if not args.no_reference:
        reference, name = find_reference()
        if not reference:
            print("bench: no reference tool found; set PPROF_REF",
                  file=sys.stderr)
    intro = (f"Reference: {name or 'none'}. {os.cpu_count()} cores. Median of "
             f"{args.runs}; limits: {args.max_seconds:g} s, {args.max_mb} MB "
             "resident.\n")
    print(intro + "\n" + HEAD, flush=True)
    bench = Bench(args, reference)
    bench.run_all()
    growth = ("Growth, our nanoseconds per sample (level means linear):\n\n" +
              growth_table(bench.rows, args.sizes))
    print("\n" + growth)
    if args.output:
        lines = "\n".join(table_line(row) for row in bench.rows)
        args.output.write_text(f"{intro}\n{HEAD}\n{lines}\n\n{growth}\n")
    sys.exit(1 if any(row.same is False for row in bench.rows) else 0)


if __name__ == "__main__":
    main()
