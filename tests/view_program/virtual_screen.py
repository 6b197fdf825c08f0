"""An X server without a monitor, a program on it, and simulated input of its user.

Nothing here waits for a fixed time: each wait ends when the expected event has happened, or at a limit.
"""

import contextlib
import mmap
import os
import random
import shutil
import signal
import struct
import subprocess
import tempfile
import time
from pathlib import Path

from x_client import LIMIT, Manager


def missing_tool():
    """Returns the name of a required program that is missing, or None."""
    return next((name for name in ("Xvfb", "xdotool") if shutil.which(name) is None), None)


def wait_for(what, holds):
    """Calls holds() until it returns a true value, and returns that."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        value = holds()
        if value:
            return value
        time.sleep(0.03)
    raise TimeoutError(f"{what}: not within {LIMIT} s")


class Screen:
    """The server. Its picture is read from its framebuffer file."""

    def __init__(self, width, height):
        self.folder = tempfile.TemporaryDirectory()
        wait_for("an X server", lambda: self.start(f"{width}x{height}x24"))
        with open(Path(self.folder.name, "Xvfb_screen0"), "rb") as file:
            self.memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def start(self, size):
        """Starts the server on a display of three digits or more. MPI connects to all displays of one digit in search
        of GPUs, and a program of it that runs meanwhile would end together with the server."""
        read, write = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", f":{random.randrange(100, 10000)}", "-displayfd", str(write), "-screen", "0", size,
             "-fbdir", self.folder.name, "-nolisten", "tcp", "-noreset"],
            pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as number:
            self.display = ":" + number.readline().strip()
        if self.display == ":":  # taken by another server
            self.server.wait()
        return self.display != ":"

    def pixels(self, left=0, top=0, width=None, height=None):
        """Returns the rows of a rectangle, with four bytes per pixel: blue, green, red and an unused one."""
        header = struct.unpack(">25I", self.memory[:100])
        line, begin = header[12], header[0] + 12 * header[19]
        width, height = width or header[4] - left, height or header[5] - top
        starts = (begin + (top + y) * line + 4 * left for y in range(height))
        return b"".join(self.memory[start:start + 4 * width] for start in starts)

    def close(self):
        self.memory.close()
        self.server.terminate()
        self.server.wait()
        self.folder.cleanup()


class Program:
    """A program with a window on the screen."""

    def __init__(self, screen, arguments, folder, environment=None, stdin=None):
        self.screen = screen
        self.environment = dict(os.environ, DISPLAY=screen.display, LIBGL_ALWAYS_SOFTWARE="1",
                                XDG_STATE_HOME=str(folder), XDG_RUNTIME_DIR="", **(environment or {}))
        self.environment.pop("WAYLAND_DISPLAY", None)
        self.process = subprocess.Popen(arguments, cwd=folder, env=self.environment, text=True, stdin=stdin,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.window = wait_for("a window", self.find_window)
        self.manager = Manager(screen.display)
        self.hand("windowfocus", "--sync", self.window)

    def find_window(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"the program ended: {self.process.communicate()}")
        found = subprocess.run(["xdotool", "search", "--onlyvisible", "--all", "--pid", str(self.process.pid), "--name", "skde-view"],
                               env=self.environment, capture_output=True, text=True, check=False)
        return found.stdout.strip()

    def hand(self, *words):
        subprocess.run(["xdotool", *map(str, words)], env=self.environment, check=True, timeout=LIMIT)

    def ask(self, *words):
        done = subprocess.run(["xdotool", *map(str, words)], env=self.environment, check=True, timeout=LIMIT,
                              capture_output=True, text=True)
        return done.stdout.strip()

    def next_frame(self):
        """Returns after the program has read all events before this call, and has shown the frame before them."""
        self.manager.ping(int(self.window))

    def key(self, *names):
        self.hand("key", "--delay", 60, *names)

    def click(self, place):
        self.hand("mousemove", *place, "sleep", 0.1, "mousedown", 1, "sleep", 0.1, "mouseup", 1)

    def drag(self, begin, end):
        middle = [(a + b) // 2 for a, b in zip(begin, end)]
        self.hand("mousemove", *begin, "sleep", 0.1, "mousedown", 1, "sleep", 0.1, "mousemove", *middle,
                  "sleep", 0.1, "mousemove", *end, "sleep", 0.1, "mouseup", 1)

    @contextlib.contextmanager
    def frozen(self):
        """Stops the program for a while, as a slow frame would, so that events accumulate."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def end(self):
        """Waits until the program ends, and returns both its outputs."""
        out, err = self.process.communicate(timeout=LIMIT)
        return out, err

    def kill(self):
        self.manager.close()
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()
