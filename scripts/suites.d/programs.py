"""programs: git, gcc, postgres, nginx, tmux, bash, ssh, chromium, java, node and pipes at work."""
import pathlib

from suite_lib.suite import Unit

FOLDER = pathlib.Path(__file__).resolve().parent / "programs"


def prepare(work):
    pass


def parse(text, lines):
    """A line `name: value` is a test and its outcome; any other line is a test too."""
    results = {}
    for line in text.splitlines():
        name, _, value = line.partition(": ")
        count = 1
        while (numbered := name if count == 1 else f"{name} #{count}") in results:
            count += 1
        results[numbered] = value or "printed"
    return results


def units(work):
    return [Unit(path.name, [path], parse, timeout=600) for path in sorted(FOLDER.iterdir())]
