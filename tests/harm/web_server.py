"""web_server: starts the servers of the project for the tests web_*.

stop() ends a server; after a failed test, the end of the test does."""
import atexit
import re
import socket
import subprocess
import threading

from cli_check import TIMEOUT, environment, folder, path, pprof
from launch_check import LIBRARY, RUNTIME, TOOL

ADDRESS = re.compile(rb"(?:http://[^:/ ]*:(\d+)|unix:(\S+))")
started = []


class Server:
    """A server process, and the port or path that it prints."""

    def __init__(self, command, cwd=folder, **env):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            cwd=cwd, env=environment(XDG_RUNTIME_DIR=RUNTIME, HOME=folder, **env))
        self.port = self.socket_path = None
        self.said = b""
        timer = threading.Timer(TIMEOUT, self.process.kill)
        timer.daemon = True
        timer.start()
        for line in self.process.stdout:
            self.said += line
            found = ADDRESS.search(line)
            if found:
                self.port = int(found[1]) if found[1] else None
                self.socket_path = found[2].decode() if found[2] else None
                break
        timer.cancel()
        started.append(self)

    def connect(self):
        if self.socket_path:
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(TIMEOUT)
            s.connect(self.socket_path)
            return s
        return socket.create_connection(("127.0.0.1", self.port), TIMEOUT)

    def raw(self, data):
        """The complete answer to these bytes."""
        with self.connect() as s:
            s.sendall(data)
            answer = b""
            while True:
                try:
                    piece = s.recv(65536)
                except ConnectionResetError:
                    return answer
                if not piece:
                    return answer
                answer += piece

    def ask(self, target, method="GET", body=b"", **headers):
        """Status, headers as a list of pairs, body."""
        lines = [f"{method} {target} HTTP/1.1", "Connection: close"]
        if "Host" not in headers:
            lines.append("Host: localhost")
        lines += [f"{k.replace('_', '-')}: {v}" for k, v in headers.items()]
        if body or method == "POST":
            lines.append(f"Content-Length: {len(body)}")
        answer = self.raw("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        head, _, rest = answer.partition(b"\r\n\r\n")
        first, *fields = head.decode(errors="replace").split("\r\n")
        status = int(first.split()[1]) if first.startswith("HTTP/1.1 ") else 0
        return status, [tuple(f.split(": ", 1)) for f in fields if ": " in f], rest

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(TIMEOUT)
        self.process.stdin.close()
        self.said += self.process.stdout.read()
        self.process.stdout.close()


@atexit.register
def stop_all():
    for server in started:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()


def values(headers, name):
    return [v for k, v in headers if k.lower() == name.lower()]


def pprof_http(*args, **env):
    return Server([pprof, "-no_browser", "-symbolize=none", "-http=localhost:0", *args], **env)


def trace_http(file, **env):
    return Server([TOOL, "trace", "-no_browser", "-http=localhost:0", file], **env)


def endpoint(listen="localhost:0", command=("sleep", "100000"), **env):
    """Starts a program with the library."""
    return Server(list(command), LD_PRELOAD=LIBRARY, PPROFLISTEN=listen, **env)


def endpoint_unix(**env):
    return endpoint(f"unix:{path('endpoint.sock')}", **env)
