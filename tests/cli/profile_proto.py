"""profile_proto: writes valid and invalid profile.proto files for the tests.

Profile keeps its parts as encoded messages, so that a test can break one of them."""
import gzip
import struct
import zlib


def varint(number):
    number &= 2**64 - 1
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    """Encodes a field: integers as varints, bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value) if value else b""
    return varint(number << 3 | 2) + varint(len(value)) + value


def packed(number, values):
    return field(number, b"".join(map(varint, values)))


class Profile:
    """A profile.proto under construction; ids are 1, 2, 3 ..."""

    def __init__(self, types=(("samples", "count"), ("cpu", "nanoseconds"))):
        self.strings = [b""]
        self.index = {b"": 0}
        self.parts = []
        self.n = {"mapping": 0, "location": 0, "function": 0}
        self.functions = {}
        for type_, unit in types:
            self.add(1, field(1, self.str(type_)) + field(2, self.str(unit)))

    def str(self, text):
        """The index of a string; adds a new one."""
        if isinstance(text, str):
            text = text.encode()
        if text not in self.index:
            self.index[text] = len(self.strings)
            self.strings.append(text)
        return self.index[text]

    def add(self, number, value):
        self.parts.append(field(number, value))

    def next_id(self, kind):
        self.n[kind] += 1
        return self.n[kind]

    def mapping(self, file, start=0x1000, limit=0x100000, build_id="",
                flags=15):
        id_ = self.next_id("mapping")
        self.add(3, field(1, id_) + field(2, start) + field(3, limit) +
                 field(5, self.str(file)) + field(6, self.str(build_id)) +
                 b"".join(field(7 + i, flags >> i & 1) for i in range(4)))
        return id_

    def function(self, name, file="/src/a.c", start_line=0, system_name=None):
        key = (name, file, start_line)
        if key not in self.functions:
            id_ = self.functions[key] = self.next_id("function")
            if system_name is None:
                system_name = name
            self.add(5, field(1, id_) + field(2, self.str(name)) +
                     field(3, self.str(system_name)) +
                     field(4, self.str(file)) + field(5, start_line))
        return self.functions[key]

    def location(self, address, lines=(), mapping=0):
        """lines: (function id, line[, column]), innermost first."""
        id_ = self.next_id("location")
        body = field(1, id_) + field(2, mapping) + field(3, address)
        for line in lines:
            body += field(4, b"".join(
                field(1 + i, value) for i, value in enumerate(line)))
        self.add(4, body)
        return id_

    def frame(self, name, file="/src/a.c", line=7, mapping=0):
        """Adds a location with one function."""
        address = 0x1000 + 16 * self.n["location"]
        return self.location(address, [(self.function(name, file), line)],
                             mapping)

    def sample(self, locations, values, labels=()):
        """labels: (key, text) or (key, number, unit)."""
        body = packed(1, locations) + packed(2, values)
        for key, *rest in labels:
            label = field(1, self.str(key))
            if isinstance(rest[0], int):
                label += field(3, rest[0])
                label += field(4, self.str(rest[1] if rest[1:] else ""))
            else:
                label += field(2, self.str(rest[0]))
            body += field(3, label)
        self.add(2, body)

    def encode(self):
        return b"".join(self.parts) + b"".join(
            field(6, text) for text in self.strings)


def small_profile(name="work", value=30):
    """A minimal profile: main calls name and other."""
    p = Profile()
    p.mapping("/bin/prog")
    main = p.frame("main", mapping=1)
    p.sample([p.frame(name, mapping=1), main], [3, value], [("k", "v")])
    p.sample([p.frame("other", mapping=1), main], [1, 10])
    return p


def zip_bytes(data):
    return gzip.compress(data, 6, mtime=0)


def zstd_bytes(data):
    """A zstd frame of raw blocks, without compression."""
    out = b"\x28\xb5\x2f\xfd\x80\x58" + struct.pack("<I", len(data))
    blocks = [data[i:i + 65536] for i in range(0, len(data), 65536)] or [b""]
    for i, block in enumerate(blocks):
        is_last = i == len(blocks) - 1
        out += struct.pack("<I", len(block) << 3 | is_last)[:3] + block
    return out


def gzip_bomb(megabytes):
    """One gzip member of that many zero bytes; its checksum is wrong."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    chunk = packer.compress(bytes(16 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return (b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + chunk * (megabytes // 16) +
            b"\x03\0" + bytes(8))


def gzip_bomb_of_members(megabytes):
    """Many valid gzip members."""
    return gzip.compress(bytes(16 << 20), 9, mtime=0) * (megabytes // 16)


def zstd_bomb(megabytes):
    """One zstd frame of blocks that each repeat a byte 128 K times."""
    n = megabytes * 8
    block = struct.pack("<I", 131072 << 3 | 1 << 1)[:3] + b"\0"
    last = struct.pack("<I", 131072 << 3 | 1 << 1 | 1)[:3] + b"\0"
    return b"\x28\xb5\x2f\xfd\0\x58" + block * (n - 1) + last
