"""What tests of skde-view in a real window share: the window, its places, and waiting for what it shows.

A test file is run by ctest as `FILE PROGRAM`; run() ends with code 77 if there is no virtual screen.
"""

import contextlib
import json
import sys
import tempfile
import unittest
from pathlib import Path

from virtual_screen import Program, Screen, missing_tool, wait_for
from x_client import load_xlib

PROGRAM = sys.argv.pop() if len(sys.argv) > 1 else ""
WIDTH, HEIGHT = 1280, 800
PANELS = 320  # their width

# Places in a window of this size: the slider of the bandwidth at Silverman's h, the views, and the middle of the volume,
# alone and beside the method.
SLIDER = (203, 187)
VOLUME = (740, 60, 350, 620)  # left, top, width, height, in both; excludes the scalar bar and the triad of axes
CELLS = (203, 219)
PROGRESS = (660, 740, 320, 40)
EVERYTHING = ()
HISTOGRAM = 430  # height of a place on it, in the tab of looks
DIALOG = (460, 360, 220, 80)
BESIDE_DIALOG = (310, 590, 120, 25)
PLATE = (41, 33, 31)  # its blue, green and red
METHOD = (330, 10, 360, 780)
MIDDLE, MIDDLE_BESIDE = (744, 400), (936, 400)

# Corners of a cube and last its middle, which a click in the middle must pick in a view along an axis.
CORNERS = [(x, y, z) for x in (0, 4) for y in (0, 4) for z in (0, 4)]
SAMPLES = [*((x, y, z) for x, y, z in CORNERS if (x, y, z) != (4, 4, 4)), (4, 4, 4), (2, 2, 2)]


class WindowCase(unittest.TestCase):
    SCREEN = (WIDTH, HEIGHT)

    def setUp(self):
        with contextlib.ExitStack() as stack:
            self.folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            self.screen = Screen(*self.SCREEN)
            stack.callback(self.screen.close)
            self.cleanup = stack.pop_all()
        self.addCleanup(self.cleanup.close)
        rows = "".join(f"{x} {y} {z}\n" for x, y, z in SAMPLES)
        (self.folder / "cube.xyz").write_text(rows)
        (self.folder / "skde").mkdir()  # with a list of recent files this is not the first use, which shows a hint
        (self.folder / "skde/recent.json").write_text("[]")

    def start(self, *arguments, stdin=None):
        self.program = Program(self.screen, [PROGRAM, *arguments, "--size", f"{WIDTH}x{HEIGHT}", "--debug-gl"],
                               self.folder, stdin=stdin)
        self.cleanup.callback(self.program.kill)
        return self.program

    def settled(self, region, before=b""):
        """Returns the pixels of a region once they differ from `before` and no longer change from frame to frame."""
        seen = []

        def still():
            self.program.next_frame()
            seen.append(self.screen.pixels(*region))
            return len(seen) > 4 and seen[-1] != before and seen[-1] == seen[-2] == seen[-4] and seen[-1]

        return wait_for("a new picture", still)

    def after(self, region, act):
        """Calls act(), and returns the pixels of a region once they have changed and settled."""
        before = self.settled(region)
        act()
        return self.settled(region, before)

    def shown(self, region):
        """Waits until the region shows something colourful."""
        def colourful():
            pixels = self.screen.pixels(*region)
            return any(max(color) - min(color) > 60 for color in zip(pixels[::4], pixels[1::4], pixels[2::4]))

        wait_for("a density", colourful)

    def has_plate(self, region):
        """Returns whether the plate of a dialog is there, over panels and views."""
        pixels = self.screen.pixels(*region)
        return 4 * sum(color == PLATE for color in zip(pixels[::4], pixels[1::4], pixels[2::4])) > region[2] * region[3]

    def has_dialog(self):
        """Returns whether an error dialog is in the middle of the window; a dialog of files is wider."""
        return self.has_plate(DIALOG) and not self.has_plate(BESIDE_DIALOG)

    def shown_dialog(self):
        wait_for("an error dialog", self.has_dialog)

    def close_dialog(self, program):
        program.key("Escape")
        wait_for("no dialog", lambda: not self.has_dialog())

    def random_input(self, program, hand, keys, rounds):
        """Makes the window small, as each frame is drawn in software, moves and clicks and presses keys at random in it,
        and ends the program as its user would. It must not end before."""
        width, height = 760, 420
        program.hand("windowsize", program.window, width, height)
        for _ in range(rounds):
            words = []
            for _ in range(4):
                words += ["mousemove", hand.randrange(width), hand.randrange(height)]
                words += hand.choice((["click", hand.choice((1, 1, 1, 2, 3, 4, 5))], ["mousedown", 1], ["mouseup", 1],
                                      ["key", hand.choice(keys)], ["keydown", "ctrl", "click", 1, "keyup", "ctrl"]))
            program.hand(*words)
            self.assertIsNone(program.process.poll(), program.process.poll())
        program.hand("mouseup", 1, "mousemove", width - 50, height // 2)
        for _ in range(30):  # Escape closes dialogs, fields and menus
            if program.process.poll() is not None:
                break
            program.key("Escape", "q")

    def screenshot(self, program, name):
        program.key("F12")
        path = self.folder / name
        return wait_for(name, lambda: path.exists() and path.read_bytes())

    def title(self, program):
        return program.ask("getwindowname", program.window)

    def check_end(self, program):
        out, err = program.end()
        self.assertEqual((program.process.returncode, out, err), (0, "", ""))
        return json.loads((self.folder / "skde/view.json").read_text())


def run():
    if missing_tool():
        print(f"skipped: there is no {missing_tool()}; install the packages xvfb and xdotool")
        sys.exit(77)
    if load_xlib() is None:
        print("skipped: there is no Xlib; install the package libx11-6")
        sys.exit(77)
    unittest.main()
