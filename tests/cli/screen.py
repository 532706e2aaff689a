"""screen: runs a program in a terminal of tmux."""
import os
import select
import shutil
import subprocess
import tempfile
import time

from cli_check import TIMEOUT



def is_there():
    return shutil.which("tmux") is not None


class Screen:
    """Runs a shell command; the end of the `with` block ends command and terminal."""

    def __init__(self, command, env, cwd, columns=80, rows=40):
        self.folder = tempfile.mkdtemp(prefix="pprof-screen-")
        self.socket = os.path.join(self.folder, "socket")
        self.env = dict(env, SHELL="/bin/sh")
        self.env.pop("TMUX", None)
        # tmux may lose the last output of a pane that ends, so cat keeps it open.
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns),
                  "-y", str(rows), "-c", cwd,
                  f"trap : INT; {command}; echo \"ended $?\"; trap '' INT; "
                  "exec cat >/dev/null")

    def tmux(self, *args):
        return subprocess.run(["tmux", "-S", self.socket, *args], text=True,
                              env=self.env, capture_output=True, timeout=TIMEOUT)

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.tmux("kill-server")
        shutil.rmtree(self.folder, ignore_errors=True)

    def keys(self, *keys):
        """Sends keys by tmux's names: Enter, Tab, C-c, Up."""
        self.tmux("send-keys", *keys)

    def type(self, text, *keys):
        self.tmux("send-keys", "-l", text)
        if keys:
            self.keys(*keys)

    def resize(self, columns, rows=40):
        """Changes the size; returns when the program has got SIGWINCH."""
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))
        name = self.tmux("display-message", "-p", "#{pane_tty}").stdout.strip()
        with open(name) as terminal:
            return self.wait(lambda text: os.get_terminal_size(
                terminal.fileno()).columns == columns)

    def text(self):
        """All output, with the lines that have scrolled off the screen."""
        return self.tmux("capture-pane", "-p", "-J", "-S", "-").stdout.rstrip()

    def wait(self, is_right):
        """Waits for a text, or until is_right(text); False after a timeout."""
        if isinstance(is_right, str):
            words = is_right
            is_right = lambda text: words in text
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            if is_right(self.text()):
                return True
            select.select([], [], [], 0.02)
        return False

    def wait_prompt(self):
        """Waits until the last line is an empty prompt."""
        return self.wait(lambda text: text.endswith("(pprof)"))
