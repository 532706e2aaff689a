"""watch: take every profile of every process continuously until it ends.

Processes are found by the sockets of their endpoints in a folder. Each process has four
concurrent lanes: CPU profiles, wall profiles, traces, and the snapshots in turn. A lane
sends its next request after the end of the last answer. One thread serves all lanes;
answers are counted and discarded. A socket that refuses connections belongs to a
process that has ended."""
import collections
import os
import selectors
import socket
import threading
import time

LANES = [["profile?seconds=1"],
         ["wall?seconds=1"],
         ["trace?seconds=1"],
         ["heap", "heap?gc=1", "leak", "allocs", "block", "mutex", "goroutine", "threadcreate"]]
SCAN_SECONDS = 0.01
RETRY_SECONDS = 0.05   # retry delay after a full backlog


class Lane:
    """A sequence of requests to one process."""

    def __init__(self, watcher, path, kinds):
        self.watcher, self.path, self.kinds = watcher, path, kinds
        self.turn, self.socket, self.head = 0, None, b""

    @property
    def kind(self):
        return self.kinds[self.turn % len(self.kinds)]

    def send(self):
        """Sends the next request; False if the process has ended."""
        self.socket, self.head = socket.socket(socket.AF_UNIX), b""
        self.socket.setblocking(False)
        try:
            self.socket.connect(self.path)
            self.socket.send(f"GET /debug/pprof/{self.kind} HTTP/1.0\r\n"
                             "Host: localhost\r\n\r\n".encode())
        except BlockingIOError:
            self.close()
            self.watcher.retry(self)
            return True
        except OSError:
            self.close()
            return False
        self.watcher.selector.register(self.socket, selectors.EVENT_READ, self)
        return True

    def receive(self):
        """Reads available data; sends the next request at the end of the answer."""
        try:
            block = self.socket.recv(1 << 18)
        except BlockingIOError:
            return
        except OSError:
            block = b""
        if block:
            self.head = self.head or block[:64]
            return
        self.watcher.selector.unregister(self.socket)
        self.close()
        self.watcher.count(self)
        self.turn += 1
        if not self.send():
            self.watcher.drop(self)

    def close(self):
        self.socket.close()
        self.socket = None


class Watcher(threading.Thread):
    """Profiles every process whose socket appears in a folder, until stop()."""

    def __init__(self, folder):
        super().__init__(daemon=True)
        self.folder, self.selector = str(folder), selectors.DefaultSelector()
        self.lanes, self.retries, self.is_over = {}, [], False
        self.n_processes, self.profiles, self.refused = 0, collections.Counter(), 0
        self.start()

    def count(self, lane):
        if b" 200 " in lane.head:
            self.profiles[lane.kind.split("?seconds")[0]] += 1
        elif lane.head:
            self.refused += 1

    def retry(self, lane):
        self.retries.append((time.monotonic() + RETRY_SECONDS, lane))

    def drop(self, lane):
        for key, lanes in list(self.lanes.items()):
            if lane in lanes:
                lanes.remove(lane)

    def scan(self):
        """Starts lanes for new sockets. An exec creates a new one with the same name."""
        present = set()
        for entry in os.scandir(self.folder):
            try:
                key = (entry.path, entry.inode())
            except OSError:
                continue
            present.add(key)
            if key not in self.lanes:
                self.begin(key)
        for key in [key for key in self.lanes if key not in present and not self.lanes[key]]:
            del self.lanes[key]

    def begin(self, key):
        """Starts the lanes of a socket. One that does not listen yet is retried at the next
    scan."""
        lanes = [Lane(self, key[0], kinds) for kinds in LANES]
        lanes = [lane for lane in lanes if lane.send()]
        if lanes:
            self.lanes[key] = lanes
            self.n_processes += 1
        elif not os.path.exists(f"/proc/{os.path.basename(key[0])}"):
            self.remove(key[0])

    def remove(self, path):
        try:
            os.unlink(path)
        except OSError:
            pass

    def run(self):
        next_scan = 0
        while not self.is_over:
            if time.monotonic() >= next_scan:
                self.scan()
                next_scan = time.monotonic() + SCAN_SECONDS
            due = [lane for when, lane in self.retries if when <= time.monotonic()]
            self.retries = [(when, lane) for when, lane in self.retries if lane not in due]
            for lane in due:
                if not lane.send():
                    self.drop(lane)
            for key, _ in self.selector.select(SCAN_SECONDS):
                key.data.receive()

    def stop(self):
        self.is_over = True
        self.join()
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()
        self.selector.close()
        return {"processes": self.n_processes, "profiles": dict(self.profiles),
                "refused": self.refused}
