"""Linked windows of skde-view: one camera in the world, one scale, also where their boxes differ.

Run by ctest as `link_window_test.py PROGRAM`; exit code 77 if there is no virtual screen.
"""

import json
import math
import subprocess
from itertools import product

from virtual_screen import wait_for
from window_case import HEIGHT, PANELS, VOLUME, WIDTH, WindowCase, run

BOXES = {"near": ((-1, -1, -1), (5, 5, 5)), "far": ((0, -2, 1), (9, 4, 8))}  # these meet
BAR, LABELS = 112, 46  # pixels: the column of the colours, the room of labels at each side


def pixel_of(camera, box, place):
    """Where a window shows a place, in pixels from the middle of the volume."""
    longest = max(high - low for low, high in zip(*box))
    radius = math.dist(*box) / 2 / longest
    wide, tall = WIDTH - PANELS - BAR, HEIGHT
    shorter = min(wide, tall)
    tangent = math.tan(math.radians(15))
    distance = radius * max(1, shorter / (wide - 2 * LABELS)) / math.sin(math.radians(15)) / camera["zoom"]
    a, e = math.radians(camera["azimuth"]), math.radians(camera["elevation"])
    back = (math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e))
    right = (-math.sin(a), math.cos(a), 0)
    up = tuple(back[i - 2] * right[i - 1] - back[i - 1] * right[i - 2] for i in range(3))
    from_focus = [(p - (low + high) / 2) / longest - f for p, low, high, f in zip(place, *box, camera["focus"])]
    x, y, z = (sum(u * v for u, v in zip(from_focus, axis)) for axis in (right, up, back))
    return tuple(part * shorter / 2 / tangent / (distance - z) for part in (x, y))


class LinkTest(WindowCase):
    def open(self, name, *flags):
        bounds = ":".join(",".join(map(str, corner)) for corner in BOXES[name])
        program = self.start("cube.xyz", f"--bounds={bounds}", "--dims", "24", "--link", "--proportions", "true", *flags)
        self.shown(VOLUME)
        return program

    def record(self):
        return self.folder / "skde/linked/view.json"

    def told(self, program, *keys):
        """Presses keys in a window, and waits until it has told the others."""
        before = self.record().stat().st_ino
        program.hand("windowfocus", "--sync", program.window)
        program.key(*keys)
        wait_for("a record", lambda: self.record().stat().st_ino != before)

    def state_of(self, program):
        program.hand("windowfocus", "--sync", program.window)
        program.key("q")
        return self.check_end(program)

    def test_windows_have_one_camera_and_scale(self):
        first = self.open("near", "--camera", "20,30,1.5")
        second = self.open("far", "--bandwidth", "0.5")
        self.told(first, "plus")
        self.told(second, "7")
        self.told(second, "minus")
        for program in (first, second, first, second):  # nobody answers what it was told
            seen = self.record().stat().st_ino
            program.next_frame()
            self.assertEqual(self.record().stat().st_ino, seen)
        second.process.kill()  # as a crash does
        second.process.communicate()
        third = self.open("far", "--bandwidth", "0.5")
        self.told(first, "bracketleft")  # the axis follows the density of the first window
        self.told(third, "plus")
        third.next_frame()
        states = [self.state_of(program) for program in (third, first)]
        for key in ("colors", "axis", "opacity_scale"):
            self.assertEqual(states[0]["transfer"][key], states[1]["transfer"][key])
        self.assertEqual(states[0]["camera"]["elevation"], 90)
        for place in product(*zip(*BOXES["near"])):
            one, other = (pixel_of(state["camera"], BOXES[name], place) for state, name in zip(states, ("far", "near")))
            self.assertLess(math.dist(one, other), 1)

    def test_several_files_are_as_many_windows_and_the_last_one_leaves_nothing(self):
        (self.folder / "other.xyz").write_text((self.folder / "cube.xyz").read_text())
        program = self.start("cube.xyz", "other.xyz", "--dims", "24", "--link")
        other = wait_for("another window", lambda: subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", "other.xyz - skde-view"], env=program.environment,
            capture_output=True, text=True, check=False).stdout.strip())
        self.cleanup.callback(subprocess.run, ["xdotool", "windowkill", other], env=program.environment, capture_output=True)
        self.told(program, "7")
        for window in (other, program.window):
            program.hand("windowfocus", "--sync", window, "key", "q")
            wait_for("its end", lambda: json.loads(self.saved()).get("camera", {}).get("elevation") == 90)
            (self.folder / "skde/view.json").unlink()
        self.assertEqual(program.end(), ("", ""))
        alone = self.open("near")
        self.assertEqual(self.state_of(alone)["camera"]["elevation"], 25)

    def test_a_folder_that_cannot_be_made_is_told_and_the_window_goes_on_alone(self):
        self.record().parent.parent.mkdir(exist_ok=True)
        self.record().parent.write_text("a file")
        program = self.start("cube.xyz", "--dims", "24", "--link")
        self.shown_dialog()
        self.close_dialog(program)
        self.shown(VOLUME)
        self.assertFalse(self.state_of(program).get("linked", False))

    def saved(self):
        path = self.folder / "skde/view.json"
        return path.read_text() if path.exists() else "{}"


if __name__ == "__main__":
    run()
