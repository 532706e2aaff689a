"""go_trace: a strict reader of Go's execution traces, version 1.22, for machines
without Go.

read(bytes) returns a Trace. There must be an order of the events, keeping that of each
M, in which every event finds its goroutine, P and M in the state that it requires;
otherwise read raises ValueError."""
import collections
import heapq

HEADER = b"go 1.22 trace\0\0\0"
NO_M = 2**64 - 1
RUNNABLE, RUNNING, SYSCALL, WAITING = 1, 2, 3, 4
NAMES = {RUNNABLE: "runnable", RUNNING: "running", SYSCALL: "syscall",
         WAITING: "waiting"}
# Arguments of each event after the time.
ARGS = {9: 2, 10: 2, 11: 0, 12: 3, 13: 2, 14: 3, 16: 2, 17: 0, 19: 2, 20: 2,
        21: 3, 22: 2, 23: 0, 25: 3, 39: 1, 42: 3, 43: 3, 44: 4}

State = collections.namedtuple("State", "start end name reason stack waker waker_stack")


class Bytes:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    def take(self, n):
        if self.at + n > len(self.data):
            raise ValueError("cut short")
        self.at += n
        return self.data[self.at - n:self.at]

    def more(self):
        return self.at < len(self.data)


class Goroutine:
    def __init__(self, id):
        self.id, self.status, self.seq, self.m = id, None, 0, None
        self.since = 0
        self.reason, self.stack = "", ()
        self.waker, self.waker_stack = None, ()
        self.states = []   # in order
        self.label = ""
        self.created_by, self.start = None, ()
        self.regions, self.open = [], []
        self.logs, self.samples = [], []

    def enter(self, status, time, reason="", stack=()):
        if self.status:
            self.states.append(State(self.since, time, NAMES[self.status],
                                     self.reason, self.stack, self.waker,
                                     self.waker_stack))
        self.status, self.since = status, time
        self.reason, self.stack = reason, stack
        self.waker, self.waker_stack = None, ()


class Trace:
    def __init__(self):
        self.goroutines = {}  # that live, by id
        self.ended = []
        self.procs = {}       # id: [running M or None, seq, generation]
        self.ms = collections.defaultdict(lambda: [None, None])  # P, G
        self.n_events = self.n_generations = 0
        self.end = 0

    def every(self):
        return self.ended + list(self.goroutines.values())

    def named(self, label):
        found = [g for g in self.every() if g.label == label]
        return found[0] if found else None

    def logs(self, category):
        return [log for g in self.every() for log in g.logs if log[1] == category]


def batches(data):
    source = Bytes(data, 16)
    if data[:16] != HEADER:
        raise ValueError("not a trace")
    while source.more():
        if source.number() != 1:
            raise ValueError("not a batch")
        generation, m, time, size = (source.number() for _ in range(4))
        if size > 65536:
            raise ValueError("batch too long")
        yield generation, m, time, source.take(size)


def tables(groups):
    """Reads strings, stacks, samples and the events of each M of a generation."""
    strings, raw, samples, streams = {0: ""}, {}, [], collections.OrderedDict()
    frequency = None
    for m, time, data in groups:
        source = Bytes(data)
        kind = data[0]
        if kind in (2, 4, 6):
            source.number()
        if kind == 8:
            source.number()
            frequency = source.number()
        elif kind == 2:
            while source.more():
                source.number()
                id, n = source.number(), source.number()
                raw[id] = [tuple(source.number() for _ in range(4)) for _ in range(n)]
        elif kind == 4:
            while source.more():
                source.number()
                id, n = source.number(), source.number()
                strings[id] = source.take(n).decode(errors="replace")
        elif kind == 6:
            while source.more():
                source.number()
                samples.append(tuple(source.number() for _ in range(5)))
        else:
            stream = streams.setdefault(m, [])
            while source.more():
                type = source.number()
                time += source.number()
                stream.append((time, type, [source.number() for _ in range(ARGS[type])]))
    if frequency != 10**9:
        raise ValueError(f"frequency {frequency}")
    stacks = {0: ()}
    for id, frames in raw.items():
        stacks[id] = tuple((strings[f], strings[file], line, pc)
                           for pc, f, file, line in frames)
    return strings, stacks, samples, streams


def need(ok):
    if not ok:
        raise ValueError("breaks a rule")


class Generation:
    def __init__(self, trace, number, groups):
        self.trace, self.number = trace, number
        self.strings, self.stacks, self.samples, self.streams = tables(groups)
        self.seen = set()

    def run(self):
        """Applies the events by time; an event may have to wait for another one. (A new
        thread may get the id of one that has ended.)"""
        left = {m: iter(stream) for m, stream in self.streams.items()}
        heads = [(next(left[m]), m) for m in left if self.streams[m]]
        heapq.heapify(heads)
        waiting = []
        while heads:
            event, m = heapq.heappop(heads)
            if not self.step(m, *event):
                waiting.append((event, m))
                continue
            self.trace.n_events += 1
            after = next(left[m], None)
            for one in waiting + ([(after, m)] if after else []):
                heapq.heappush(heads, one)
            waiting = []
        if waiting:
            raise ValueError("no event can be next: " + repr(waiting[:4]))
        for time, _, _, g, stack in self.samples:
            owner = self.trace.goroutines.get(g) or next(
                (e for e in reversed(self.trace.ended) if e.id == g), None)
            need(owner)
            owner.samples.append((time, self.stacks[stack]))
        need(all(("g", g) in self.seen for g in self.trace.goroutines))

    def step(self, m, time, type, args):
        """Applies the event if it can be the next one. A goroutine or P needs a status
        event in this generation first."""
        t = self.trace
        here = t.ms[m]
        current = t.goroutines.get(here[1])
        t.end = max(t.end, time)
        if type == 13:
            p, status = args
            need(("p", p) not in self.seen)
            self.seen.add(("p", p))
            before = t.procs.get(p)
            need(not before or before[0] == (m if status != 2 else None))
            t.procs[p] = [None if status == 2 else m, 0]
            if status != 2:
                here[0] = p
        elif type == 25:
            g, on, status = args
            need(("g", g) not in self.seen)
            self.seen.add(("g", g))
            one = t.goroutines.get(g)
            if one is None:
                need(self.number == 1)  # later ones are created
                one = t.goroutines[g] = Goroutine(g)
                one.enter(status, time)
            need(one.status == status)
            one.seq = 0
            if status in (RUNNING, SYSCALL):
                need(on == m)
                here[1] = g
        elif type == 10:
            p, seq = args
            if (("p", p) not in self.seen or t.procs[p][0] is not None or
                    seq != t.procs[p][1] + 1):
                return False
            t.procs[p] = [m, seq]
            here[0] = p
        elif type == 11:
            need(here[0] is not None and not current)
            t.procs[here[0]][0] = None
            here[0] = None
        elif type == 14:
            g, start, stack = args
            need(g not in t.goroutines and here[0] is not None)
            one = t.goroutines[g] = Goroutine(g)
            self.seen.add(("g", g))
            one.enter(RUNNABLE, time)
            one.created_by, one.start = here[1] or m, self.stacks[start]
        elif type == 16:
            g, seq = args
            one = t.goroutines.get(g)
            if (("g", g) not in self.seen or not one or one.status != RUNNABLE or
                    seq != one.seq + 1):
                return False
            need(here[0] is not None and not current)
            one.enter(RUNNING, time)
            one.seq = seq
            here[1] = g
        elif type == 21:
            g, seq, stack = args
            one = t.goroutines.get(g)
            if (("g", g) not in self.seen or not one or one.status != WAITING or
                    seq != one.seq + 1):
                return False
            one.waker, one.waker_stack = (here[1] if here[1] != g else None), self.stacks[stack]
            one.waker = one.waker or (m if m != g else None)
            one.enter(RUNNABLE, time)
            one.seq = seq
        elif type in (19, 20):
            need(current and current.status == RUNNING)
            current.enter(WAITING if type == 20 else RUNNABLE, time,
                          self.strings[args[0]], self.stacks[args[1]])
            here[1] = None
        elif type == 17:
            need(current and current.status == RUNNING)
            current.enter(None, time)
            t.ended.append(t.goroutines.pop(here[1]))
            here[1] = None
        elif type == 22:
            need(current and current.status == RUNNING)
            need(args[0] == t.procs[here[0]][1] + 1)
            t.procs[here[0]][1] += 1
            current.enter(SYSCALL, time, "", self.stacks[args[1]])
        elif type == 23:
            need(current and current.status == SYSCALL)
            current.enter(RUNNING, time)
        else:
            need(current and current.status == RUNNING)
            self.say(current, time, type, args)
        return True

    def say(self, g, time, type, args):
        if type == 39:
            g.label = self.strings[args[0]]
        elif type == 42:
            g.open.append((self.strings[args[1]], time))
        elif type == 43:
            name, start = g.open.pop()
            need(name == self.strings[args[1]])
            g.regions.append((name, start, time))
        elif type == 44:
            g.logs.append((time, self.strings[args[1]], self.strings[args[2]],
                           self.stacks[args[3]]))


def read(data):
    trace = Trace()
    groups = []
    last = 1
    for generation, m, time, body in batches(data):
        if generation != last:
            if generation != last + 1:
                raise ValueError("generations out of order")
            Generation(trace, last, groups).run()
            last, groups = generation, []
        groups.append((m, time, body))
    Generation(trace, last, groups).run()
    trace.n_generations = last
    for g in trace.goroutines.values():
        g.enter(None, trace.end)
    return trace
