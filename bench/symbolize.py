#!/usr/bin/env python3
"""symbolize.py [--quick] [--data DIR]: compare cpprof addr2line with its peers.

The tools look up functions, files, lines and inlined calls (-a -f -i -C, addresses on
standard input) in libjvm (with the debug information of Debian's openjdk-17-dbg) and in
the kernel (linux-image-...-amd64-dbg), for 1, 1,000, 10,000 and 100,000 addresses.
Prints medians in seconds and CPU seconds, the ratio to cpprof, and the peak memory. Runs
of the tools alternate. elfutils takes minutes from 10,000 addresses on: there it runs
once, and only with --all. The script removes the kernel's relocations, which are already
applied, because gimli would need seconds to apply them again.

Missing files are fetched into DIR (build/bench-symbolize): packages with apt-get
download, gimli's addr2line with cargo. A peer that is not available is reported and left
out."""
import argparse
import os
import random
import re
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OURS = os.path.join(ROOT, "build/cpprof")
METER = os.path.join(ROOT, "build/bench/meter")
OPTIONS = ["-a", "-f", "-i", "-C", "-e"]


def sh(command, cwd):
    return subprocess.run(["sh", "-ec", command], cwd=cwd, text=True,
                          capture_output=True)


def fetch(data):
    """Fetches the two files if they do not exist."""
    os.makedirs(data + "/unpacked", exist_ok=True)
    if not os.path.exists(data + "/libjvm.so"):
        print("fetching openjdk-17 and its debug information", flush=True)
        sh("""apt-get -qq download openjdk-17-jre-headless openjdk-17-dbg
              for deb in openjdk-17-*.deb; do dpkg-deb -x $deb unpacked; done
              lib=$(find unpacked -name libjvm.so | grep server)
              id=$(readelf -n $lib | sed -n 's/.*Build ID: //p')
              debug=$(find unpacked -path "*${id#??}.debug")
              eu-unstrip -o packed.so $lib $debug
              objcopy --decompress-debug-sections packed.so libjvm.so
              rm -rf unpacked/* packed.so *.deb""", data)
    if not os.path.exists(data + "/vmlinux"):
        print("fetching the kernel's debug information", flush=True)
        sh("""name=$(apt-cache depends linux-image-amd64-dbg |
                     sed -n 's/.*Depends: //p' | head -n 1)
              apt-get -qq download $name
              dpkg-deb --fsys-tarfile linux-image-*.deb |
                  tar -x -C unpacked --wildcards '*/boot/vmlinux-*'
              objcopy -R '.rela.debug_*' $(find unpacked -name 'vmlinux-*') vmlinux
              rm -rf unpacked/* *.deb""", data)


def peers(data):
    """Commands by name, without the file."""
    found = {"cpprof": [OURS, "addr2line", *OPTIONS]}
    gimli = data + "/gimli/bin/addr2line"
    if not os.path.exists(gimli) and shutil.which("cargo"):
        print("building gimli's addr2line", flush=True)
        sh(f"cargo install -q addr2line --features bin --root {data}/gimli",
           data)
    commands = {
        "gimli": [gimli, *OPTIONS],
        "llvm": ["llvm-symbolizer", "--output-style=GNU", *OPTIONS],
        "binutils": ["addr2line", *OPTIONS],
        "elfutils": ["eu-addr2line", *OPTIONS],
    }
    for name, command in commands.items():
        if shutil.which(command[0]):
            found[name] = command
        else:
            print(f"no {command[0]}: {name} is left out")
    return found


def functions(path):
    """Symbols of functions in .text, as (address, size)."""
    text = subprocess.run(["readelf", "-SW", path], capture_output=True,
                          text=True).stdout
    found = re.search(r"\] \.text\s+PROGBITS\s+(\w+) \w+ (\w+)", text)
    low = int(found[1], 16)
    high = low + int(found[2], 16)
    symbols = {}
    text = subprocess.run(["nm", "-S", "--defined-only", path],
                          capture_output=True, text=True).stdout
    for line in text.splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in "tTwW":
            address, size = int(fields[0], 16), int(fields[1], 16)
            if size and low <= address < high:
                symbols[address] = size
    return sorted(symbols.items())


def run(command, path, data):
    """Seconds, CPU seconds and peak memory in MB; None if the run failed."""
    figures = data + "/figures"
    with open(data + "/addresses") as given, open(data + "/out", "w") as out:
        subprocess.run([METER, figures, "1800", "16000", *command, path],
                       stdin=given, stdout=out, stderr=subprocess.DEVNULL)
    with open(figures) as f:
        wall, cpu, peak_kb, ended = f.read().split()[:4]
    if ended != "0":
        return None
    return float(wall), float(cpu), int(peak_kb) / 1024


def median(values):
    return sorted(values)[len(values) // 2]


def measure(tools, path, n, data, reps):
    results = {name: [] for name in tools}
    for rep in range(reps):
        for name, command in tools.items():
            if rep > 0 and name == "elfutils" and n >= 10000:
                continue
            result = run(command, path, data)
            if result:
                results[name].append(result)
    ours = [median(column) for column in zip(*results["cpprof"])]
    print(f"{os.path.basename(path)}, {n} addresses")
    for name, runs in results.items():
        if runs:
            seconds, cpu, memory = [median(column) for column in zip(*runs)]
            print(f"  {name:9} {seconds:9.3f} s {seconds / ours[0]:8.1f} x "
                  f"{cpu:9.3f} s CPU {cpu / ours[1]:8.1f} x "
                  f"{memory:7.0f} MB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--data", default=ROOT + "/build/bench-symbolize")
    parser.add_argument("--reps", type=int)
    args = parser.parse_args()
    data = os.path.abspath(args.data)
    fetch(data)
    tools = peers(data)
    for name in ("libjvm.so", "vmlinux"):
        path = os.path.join(data, name)
        if not os.path.exists(path):
            print(f"no {name}: left out")
            continue
        symbols, rng = functions(path), random.Random(42)
        with open(path, "rb") as f:  # loads it into the page cache
            while f.read(1 << 24):
                pass
        for n in (1, 1000, 10000) if args.quick else (1, 1000, 10000, 100000):
            with open(data + "/addresses", "w") as f:
                for _ in range(n):
                    address, size = rng.choice(symbols)
                    f.write(f"{address + rng.randrange(size):#x}\n")
            some = {name: command for name, command in tools.items()
                    if name != "elfutils" or n <= 1000 or args.all}
            measure(some, path, n, data, args.reps or (1 if args.quick else 3))


main()
