"""profile_reader: a strict reader of profile.proto for the profiles that cpprof writes.

read() checks what the strictest readers check (Parca, Pyroscope, Alloy) and raises
ValueError with the fault."""
import gzip


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value & (2**64 - 1), at


def signed(value):
    return value - 2**64 if value >= 2**63 else value


def fields(data):
    """Yields (number, value): ints, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise ValueError("a field is cut short")
        else:
            raise ValueError(f"wire type {key & 7}")
        yield key >> 3, value


def numbers(value):
    """A repeated number field, packed or not."""
    if isinstance(value, int):
        return [value]
    out, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        out.append(number)
    return out


class Message:
    def __init__(self, data):
        self.all = {}
        for number, value in fields(data):
            self.all.setdefault(number, []).append(value)

    def one(self, number):
        return self.all.get(number, [0])[-1]

    def many(self, number):
        return self.all.get(number, [])

    def list(self, number):
        return [n for value in self.many(number) for n in numbers(value)]


def need(ok, what):
    if not ok:
        raise ValueError(what)


class Profile:
    """A decoded profile; samples is [(names leaf first, values, labels)]."""

    def __init__(self, data):
        need(data[:2] == b"\x1f\x8b", "not in gzip")
        top = Message(gzip.decompress(data))
        self.strings = [s.decode("utf-8") for s in top.many(6)]
        need(self.strings and self.strings[0] == "", "string 0 is not empty")
        text = self.strings.__getitem__
        pair = lambda m: (text(m.one(1)), text(m.one(2)))
        self.types = [pair(Message(m)) for m in top.many(1)]
        self.period_type = pair(Message(top.one(11) or b""))
        self.period = signed(top.one(12))
        self.time, self.duration = signed(top.one(9)), signed(top.one(10))
        self.comments = [text(n) for n in top.list(13)]
        self.default_type = text(top.one(14))
        self.mappings = [Message(m) for m in top.many(3)]
        self.functions = [Message(m) for m in top.many(5)]
        self.locations = [Message(m) for m in top.many(4)]
        self.check_ids()
        self.samples = [self.sample(Message(m)) for m in top.many(2)]

    def check_ids(self):
        for table in (self.mappings, self.functions, self.locations):
            for i, m in enumerate(table):
                need(m.one(1) == i + 1, "ids are not 1, 2, 3, ...")
        for m in self.locations:
            need(m.one(2) <= len(self.mappings), "no such mapping")
            need(m.one(3) != 0 or self.is_special(m), "a location without address")
        for type_, unit in self.types + [self.period_type]:
            need(type_ and unit and "-" not in type_, "a bad type")
        infos = [c for c in self.comments if c.startswith("executableInfo=")]
        bare = self.locations and all(
            not m.many(4) for m in self.locations)
        need(len(infos) == (len(self.mappings) if bare else 0),
             "executableInfo")
        need(self.types, "no types")

    def is_special(self, location):
        """Whether a name is no function, such as "[lost samples]"."""
        names = [self.functions[Message(line).one(1) - 1].one(2) for line in location.many(4)]
        return len(names) == 1 and self.strings[names[0]].startswith("[")

    def mapping(self, i):
        m = self.mappings[i]
        return {"start": m.one(2), "limit": m.one(3), "offset": m.one(4),
                "file": self.strings[m.one(5)],
                "build_id": self.strings[m.one(6)],
                "has_functions": bool(m.one(7))}

    def names(self, location):
        out = []
        for line in self.locations[location - 1].many(4):
            f = self.functions[Message(line).one(1) - 1]
            need(f.one(2) and f.one(3), "a function without name")
            out.append(self.strings[f.one(2)])
        return out

    def sample(self, m):
        values = [signed(n) for n in m.list(2)]
        need(len(values) == len(self.types), "number of values")
        labels = {}
        for label in map(Message, m.many(3)):
            key = self.strings[label.one(1)]
            need(key, "a label without key")
            labels[key] = self.strings[label.one(2)] or label.one(3)
        names = [name for n in m.list(1) for name in self.names(n)]
        return names, values, labels


def read(data):
    return Profile(data)
