"""foreign_formats: independent readers of other profilers' formats and of profile.proto
for tests/cli/convert. They share no code with src/import.

Each reader returns sums: {(stack, thread): values}; a stack has names from the root to
the leaf, and values is a dict by type."""
import collections
import gzip
import json
import re


def sums():
    return collections.defaultdict(lambda: collections.defaultdict(float))


def plain(table):
    """The sums rounded and without zeros, for comparison."""
    out = {}
    for key, values in table.items():
        kept = {t: round(v) for t, v in values.items() if round(v) != 0}
        if kept:
            out[key] = kept
    return out


# --- profile.proto ---------------------------------------------------------


def varints(data):
    at = 0
    while at < len(data):
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        yield value, at


def fields(data):
    """Yields (number, value) of a message; packed lists are unpacked."""
    at = 0

    def varint():
        nonlocal at
        value, used = next(varints(data[at:at + 10]))
        at += used
        return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            size = varint()
            yield key >> 3, data[at:at + size]
            at += size


def numbers(message, wanted):
    out = []
    for number, value in message:
        if number == wanted:
            out += ([value] if isinstance(value, int)
                    else [v for v, _ in varints(value)])
    return out


def signed(value):
    return value - 2**64 if value >= 2**63 else value


def read_proto(data, by_line=False, label="thread"):
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    top = list(fields(data))
    strings = [v.decode() for n, v in top if n == 6]
    messages = {k: [list(fields(v)) for n, v in top if n == k]
                for k in (1, 2, 4, 5)}
    types = [strings[dict(m).get(1, 0)] for m in messages[1]]
    functions = {dict(m)[1]: (strings[dict(m).get(2, 0)],
                              strings[dict(m).get(4, 0)])
                 for m in messages[5]}
    names = {}
    for m in messages[4]:
        frames = []
        for line in [dict(fields(v)) for n, v in m if n == 4]:
            name, file = functions[line[1]]
            frames.append(f"{name} {file}:{line.get(2, 0)}" if by_line
                          else name)
        names[dict(m)[1]] = frames or [hex(dict(m).get(3, 0))]
    out = sums()
    for m in messages[2]:
        stack = [n for i in numbers(m, 1) for n in names[i]]
        labels = [dict(fields(v)) for n, v in m if n == 3]
        thread = [strings[v[2]] for v in labels
                  if strings[v[1]] == label and 2 in v]
        key = tuple(reversed(stack)), thread[0] if thread else ""
        for type_, value in zip(types, numbers(m, 2)):
            out[key][type_] += signed(value)
    return plain(out)


# --- Text ------------------------------------------------------------------


def read_folded(text):
    out = sums()
    for line in text.splitlines():
        if line.strip() and not line.startswith("# "):
            stack, value = line.rsplit(None, 1)
            frames = tuple(f for f in stack.split(";") if f)
            out[frames, ""]["samples"] += float(value)
    return plain(out)


HEADER = re.compile(r"\s*(\S.*?)\s+(\d+/)?(\d+)\s+(?:\[\d+\]\s+)?\d+\.\d+:\s+"
                    r"(?:(\d+)\s+)?(\S+):(?:\s+(.*))?$")


def perf_frame(text):
    address, rest = (text + " ").split(" ", 1)
    found = re.match(r"(.*) \((?:[^()]|\([^()]*\))*\)$", rest.strip())
    name = re.sub(r"\+0x[0-9a-f]+$", "", found[1] if found else rest.strip())
    return hex(int(address, 16)) if name == "[unknown]" else name


def read_perf_script(text):
    out = sums()
    for block in re.split(r"\n(?=\S)|\n\s*\n", text):
        lines = [x for x in block.split("\n")
                 if x.strip() and not x.startswith("#")]
        samples = []
        for line in lines:
            header = None if line.startswith("\t") else HEADER.match(line)
            if header:
                samples.append((header, []))
                if header[6] and header[6].endswith(")"):
                    samples[-1][1].append(perf_frame(header[6]))
            else:
                samples[-1][1].append(perf_frame(line.strip()))
        for header, stack in samples:
            key = tuple(reversed(stack)), header[1]
            out[key]["samples"] += 1
            if header[4]:
                out[key][header[5]] += int(header[4])
    return plain(out)


def read_callgrind(text):
    """Own cost by event and (function, line); the format has no stacks."""
    own, names, position, costs, events = sums(), {}, [0], [0] * 64, []
    n_positions, line_at, file, fn, is_call = 1, 0, "", "", False
    base = ""

    def name(kind, value):
        found = re.match(r"\((\d+)\)\s*(.*)", value)
        if not found:
            return value
        if found[2]:
            names[kind, found[1]] = found[2]
        return names[kind, found[1]]

    def relative(word, before):
        if word == "*":
            return before
        return before + int(word) if word[0] in "+-" else int(word, 0)

    for line in text.splitlines():
        line = line.strip()
        if line.startswith("events:"):
            events = [re.sub(r"_?\([a-zA-Z]+\)$", "", e)
                      for e in line.split()[1:]]
        elif line.startswith("positions:"):
            n_positions = len(line.split()) - 1
            line_at = line.split().index("line") - 1
            position = [0] * n_positions
        elif line.startswith("fl="):
            base = file = name("f", line[3:])
        elif line[:3] in ("fi=", "fe="):
            file = name("f", line[3:])
        elif line[:4] in ("cfi=", "cfl="):
            name("f", line[4:])
        elif line.startswith("fn="):
            fn, file = name("n", line[3:]), base
        elif line.startswith("cfn="):
            name("n", line[4:])
        elif line.startswith("calls="):
            is_call = True
        elif line and line[0] in "0123456789+-*":
            words = line.split()
            position = [relative(w, p) for w, p in zip(words, position)]
            for i, word in enumerate(words[n_positions:]):
                costs[i] = relative(word, costs[i])
                if not is_call:
                    place = f"{fn} {file}:{position[line_at]}"
                    own[(place,), ""][events[i]] += costs[i]
            is_call = False
    return plain(own)


# --- JSON ------------------------------------------------------------------

TIME = {"nanoseconds": 1, "microseconds": 1e3, "milliseconds": 1e6,
        "seconds": 1e9}


def read_speedscope(text):
    data = json.loads(text)
    names = [f["name"] for f in data["shared"]["frames"]]
    several = len(data["profiles"]) > 1
    out = sums()
    for profile in data["profiles"]:
        unit = profile["unit"]
        type_ = ("time" if unit in TIME else
                 "space" if unit == "bytes" else "samples")
        name = profile["name"] if several else ""

        def add(stack, value):
            key = tuple(names[f] for f in stack), name
            out[key][type_] += value * TIME.get(unit, 1)

        if profile["type"] == "sampled":
            for stack, weight in zip(profile["samples"], profile["weights"]):
                add(stack, weight)
            continue
        stack, now = [], None
        end = [{"type": "E", "at": profile["endValue"]}]
        for event in profile["events"] + end:
            if stack and event["at"] > now:
                add(stack, event["at"] - now)
            now = event["at"]
            if event["type"] == "O":
                stack.append(event["frame"])
            elif event["type"] == "C":
                last = len(stack) - 1 - stack[::-1].index(event["frame"])
                del stack[last]
    return plain(out)


def read_v8(text):
    data = json.loads(text)
    nodes, parents = {}, {}

    def walk(node, parent):
        nodes[node.get("id", len(nodes) + 1)] = node
        node["up"] = parent
        for child in node.get("children", []):
            walk(child, node)

    if "head" in data:
        walk(data["head"], None)
    else:
        nodes = {n["id"]: n for n in data["nodes"]}
        for node in data["nodes"]:
            for child in node.get("children", []):
                parents[child] = node["id"]
            if "parent" in node:
                parents[node["id"]] = node["parent"]
        for node in data["nodes"]:
            node["up"] = nodes.get(parents.get(node["id"]))

    def stack(node):
        out = []
        while node:
            frame = node.get("callFrame", node)
            if frame["functionName"] != "(root)":
                out.append(frame["functionName"] or "(anonymous)")
            node = node["up"]
        return tuple(reversed(out)), ""

    out = sums()
    if "selfSize" in nodes[min(nodes)]:
        for node in nodes.values():
            out[stack(node)]["inuse_space"] += node["selfSize"]
    elif "samples" not in data:
        for node in nodes.values():
            out[stack(node)]["samples"] += node["hitCount"]
    else:
        times = data.get("timestamps")
        if "timeDeltas" in data:
            now, times = data["startTime"], []
            for delta in data["timeDeltas"]:
                now += delta
                times.append(now)
            times.append(max(now, data["endTime"]))
        latest = times[0] if times else 0
        for i, node in enumerate(data["samples"]):
            out[stack(nodes[node])]["samples"] += 1
            if times and i + 1 < len(times) and times[i + 1] > latest:
                out[stack(nodes[node])]["wall"] += (
                    times[i + 1] - latest) * 1e3
                latest = times[i + 1]
    return plain(out)


def gecko_rows(table):
    """A table in one of the two layouts as a list of dicts."""
    if "schema" in table:
        place = table["schema"]
        return [{k: row[i] if i < len(row) else None
                 for k, i in place.items()} for row in table["data"]]
    columns = {k: v for k, v in table.items() if isinstance(v, list)}
    length = max(map(len, columns.values()), default=0)
    return [{k: v[i] for k, v in columns.items()} for i in range(length)]


def read_gecko(text):
    data = json.loads(text)
    out = sums()
    for process in [data] + data.get("processes", []):
        units = process["meta"].get("sampleUnits", {})
        cpu = {"ns": 1, "µs": 1e3}.get(units.get("threadCPUDelta"), 0)
        shared = process.get("shared", {})
        for thread in process["threads"]:
            def part(name):
                return thread.get(name) or shared.get(name)

            strings = part("stringArray") or part("stringTable")
            stacks = gecko_rows(part("stackTable"))
            frames = gecko_rows(part("frameTable"))
            funcs = gecko_rows(part("funcTable") or {})
            samples = thread["samples"]
            kind, scale = {"tracing-ms": ("time", 1e6),
                           "bytes": ("space", 1)}.get(
                samples.get("weightType"), ("samples", 1))

            def name_of(frame):
                if "func" in frame:
                    func = funcs[frame["func"]]
                    return strings[func["name"]]
                return re.sub(r" \(.*\)$", "", strings[frame["location"]])

            for sample in gecko_rows(samples):
                at, names = sample["stack"], []
                if at is None:
                    continue
                while at is not None:
                    names.append(name_of(frames[stacks[at]["frame"]]))
                    offset = stacks[at].get("prefixOffset")
                    at = (stacks[at]["prefix"] if offset is None
                          else at - offset if offset else None)
                key = tuple(reversed(names)), thread["name"]
                weight = sample.get("weight")
                out[key][kind] += (1 if weight is None else weight) * scale
                if kind != "samples":
                    out[key]["samples"] += 1
                if cpu and sample.get("threadCPUDelta"):
                    out[key]["cpu"] += sample["threadCPUDelta"] * cpu
    return plain(out)
