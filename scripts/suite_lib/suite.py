"""suite: the interface between scripts/suites and a project's file in suites.d.

A project is a module with

  prepare(work)   fetches and builds; runs once, in work.folder
  units(work)     a list of Units: commands that run after each other

and optionally MODES (a subset of the three)."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

LIB = pathlib.Path(__file__).resolve().parent


class Unit:
    """One command of a suite. parse(text, results) returns the outcomes by test name,
    from the output and the lines of $SUITE_RESULTS. alone(test) is the command for one
    test; without it the whole unit runs again."""

    def __init__(self, name, command, parse, timeout=600, alone=None, cwd=None, env=None):
        self.name, self.command, self.parse, self.timeout = name, command, parse, timeout
        self.alone, self.cwd, self.env = alone, cwd, env or {}


class Work:
    """The folder of a suite, and methods that fetch and build packages in it."""

    def __init__(self, folder, shared):
        self.folder, self.shared = folder, shared
        folder.mkdir(parents=True, exist_ok=True)

    def run(self, *command, cwd=None, **env):
        """Runs a step of the preparation; logs its output and prints it after a failure."""
        with open(self.folder / "prepare.log", "ab") as log:
            log.write(f"$ {' '.join(map(str, command))}\n".encode())
            log.flush()
            done = subprocess.run([str(word) for word in command], cwd=cwd or self.folder,
                                  stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                  env=dict(os.environ, **env))
        if done.returncode != 0:
            raise RuntimeError(f"{command[0]} ended with {done.returncode}; see {log.name}")

    def capture(self, *command):
        return subprocess.run([str(word) for word in command], check=True, text=True,
                              stdout=subprocess.PIPE, stdin=subprocess.DEVNULL).stdout

    def debian_source(self, name):
        """The unpacked Debian source of a package."""
        if not list(self.folder.glob("*/debian/control")):
            self.run(*apt(self.shared), "source", name)
        return next(self.folder.glob("*/debian/control")).parent.parent

    def site_packages(self):
        return next((self.folder / "venv/lib").glob("python*/site-packages"))

    def python(self, *requirements, sdist=None):
        """A virtual environment of /usr/bin/python3 with these and pytest."""
        env = self.folder / "venv"
        if not env.exists():
            self.run("/usr/bin/python3", "-m", "venv", env)
        self.run(env / "bin/pip", "install", "-q", "pytest==8.3.4", *requirements)
        if sdist:
            self.run(env / "bin/pip", "download", "-q", "--no-deps", "--no-binary", ":all:",
                     "--no-build-isolation", sdist)
        return env / "bin/python"

    def crate(self, name, version):
        """The unpacked source of a crate, as cargo vendors it."""
        source = self.folder / f"{name}-{version}"
        if not source.exists():
            project = self.folder / "fetch"
            (project / "src").mkdir(parents=True, exist_ok=True)
            (project / "src/lib.rs").write_text("")
            (project / "Cargo.toml").write_text(
                '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n'
                f'[dependencies]\n{name} = "={version}"\n')
            self.run("cargo", "vendor", "--versioned-dirs", "vendor", cwd=project)
            shutil.copytree(project / "vendor" / f"{name}-{version}", source)
            (source / ".cargo-checksum.json").unlink(missing_ok=True)
            with open(source / "Cargo.toml", "a") as manifest:
                manifest.write(f'\n[workspace]\n[patch.crates-io]\n{name} = {{ path = "." }}\n')
        return source


# ---- packages ----

def apt(folder):
    """Runs apt-get with separate lists, which have deb-src entries."""
    lists = folder / "apt"
    base = ["apt-get", "-qq", "-o", f"Dir::State::lists={lists}/lists",
            "-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={lists}/parts",
            "-o", f"Dir::Cache={lists}/cache", "-o", "APT::Sandbox::User="]
    if not lists.exists():
        for part in ["lists/partial", "cache/archives/partial", "parts"]:
            (lists / part).mkdir(parents=True)
        codename = dict(line.rstrip().split("=", 1) for line in open("/etc/os-release")
                        if "=" in line)["VERSION_CODENAME"]
        write_sources(lists / "parts", codename)
        subprocess.run([*base, "update"], check=True)
    return base


def write_sources(parts, codename):
    """deb-src entries for every deb entry of the distribution itself."""
    is_own = re.compile(rf"\b(?<!-){codename}(-updates|-security)?(?=\s|$)").search
    for path in [pathlib.Path("/etc/apt/sources.list"),
                 *pathlib.Path("/etc/apt/sources.list.d").glob("*")]:
        text = path.read_text() if path.is_file() else ""
        if path.suffix == ".sources":
            stanzas = [re.sub(r"(?m)^Types:.*", "Types: deb-src", stanza)
                       for stanza in re.split(r"\n\s*\n", text)
                       if is_own("".join(re.findall(r"(?m)^Suites:.*", stanza)))]
            (parts / path.name).write_text("\n\n".join(stanzas) + "\n")
        elif path.suffix == ".list":
            lines = [re.sub(r"^deb(-src)?\s", "deb-src ", line) for line in text.splitlines()
                     if re.match(r"deb(-src)?\s", line) and is_own(line)]
            (parts / path.name).write_text("\n".join(lines) + "\n")


# ---- common kinds of units ----

def pytest_unit(name, python, root, targets, timeout=600, options=()):
    """The tests that pytest finds below root. A test's id is its path from root and its
    name."""
    base = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "pytest_lines",
            "-c", "/dev/null", f"--rootdir={root}", *options]
    return Unit(name, [*base, *(str(root / target) for target in targets)],
                lambda text, lines: lines, timeout, alone=lambda test: [*base, f"{root}/{test}"],
                env={"PYTHONPATH": str(LIB / "plugin")})


def rust_units(source, timeout=300):
    """The test programs that prepare_rust() has built in a crate's folder."""
    units = []
    for name, binary in json.loads((source / "programs.json").read_text()):
        units.append(Unit(name, [binary, "--test-threads=4"], parse_rust, timeout, cwd=source,
                          alone=lambda test, binary=binary: [binary, "--exact", test]))
    return units


def prepare_rust(work, source, *options):
    """Builds a crate's test programs and records their paths. Programs that do not
    compile are left out; the log names them."""
    command = ["cargo", "build", "--keep-going", "--message-format=json", *options]
    with open(work.folder / "prepare.log", "ab") as log:
        done = subprocess.run(command, cwd=source, stdout=subprocess.PIPE, stderr=log, text=True)
    found = []
    for line in done.stdout.splitlines():
        message = json.loads(line) if line.startswith("{") else {}
        if message.get("executable") and message["profile"]["test"]:
            found.append((message["target"]["name"], message["executable"]))
    if not found:
        raise RuntimeError(f"cargo ended with {done.returncode}; see {log.name}")
    (source / "programs.json").write_text(json.dumps(sorted(found)))


def parse_rust(text, lines):
    pattern = (r"(?m)^test (.+?)(?: - should panic| - compile fail| - compile)? \.\.\. "
               r".*?(ok|FAILED|ignored).*$")
    return {found[1]: found[2] for found in re.finditer(pattern, text)}


def parse_unittest(text, lines):
    """Outcomes from the output of unittest -v. A docstring and output of the test may be
    between its name and its outcome."""
    results = {}
    starts = list(re.finditer(r"(?m)^\w+ \(([\w.]+)\)(?=\n| \.\.\. )", text))
    for this, following in zip(starts, [*starts[1:], None]):
        part = text[this.end():following.start() if following else len(text)]
        found = re.search(r"(?m)(?:^|\.\.\. |[^\w])(ok|FAIL|ERROR|skipped|expected failure"
                          r"|unexpected success)(?: .*)?$", part)
        results.setdefault(this[1], found[1] if found else "start")
    return results


def parse_pattern(pattern):
    """Outcomes by a pattern with the groups `test` and `outcome`; repeated names are
    numbered."""
    def parse(text, lines):
        results = {}
        for found in re.finditer(pattern, text, re.MULTILINE):
            name, count = found["test"].strip(), 1
            while (numbered := name if count == 1 else f"{name} #{count}") in results:
                count += 1
            results[numbered] = found["outcome"]
        return results
    return parse
