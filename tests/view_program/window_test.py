"""skde-view in a real window: user input, and what the window shows and saves.

Run by ctest as `window_test.py PROGRAM`; exit code 77 if there is no virtual screen.
"""

import os
import random
import struct
import time
from pathlib import Path

from virtual_screen import wait_for
from window_case import (CELLS, EVERYTHING, HEIGHT, HISTOGRAM, METHOD, MIDDLE, MIDDLE_BESIDE, PANELS, PROGRESS, SAMPLES,
                         SLIDER, VOLUME, WIDTH, WindowCase, run)
from x_client import Source

LOOK = (94, 111)  # the tab


class WindowTest(WindowCase):
    def test_a_session(self):
        program = self.start("cube.xyz", "--dims", "32", "--view", "both")
        self.shown(VOLUME)
        self.after(VOLUME, lambda: program.key("1"))
        first = self.screenshot(program, "skde-view_0001.png")
        self.assertEqual(struct.unpack(">II", first[16:24]), (WIDTH - PANELS, HEIGHT))  # without the panels
        self.after(VOLUME, lambda: program.drag(SLIDER, (SLIDER[0] - 30, SLIDER[1])))
        self.after(METHOD, lambda: program.click(MIDDLE_BESIDE))
        self.after(METHOD, lambda: program.key("g"))
        for keys in (["bracketright"], ["bracketright"], ["bracketleft"], ["p"], ["s"], ["3"], ["7"]):
            with self.subTest(keys=keys):
                self.after(VOLUME, lambda: program.key(*keys))
        plain = self.settled(VOLUME)
        self.after(VOLUME, lambda: program.key("h"))
        self.assertEqual(self.after(VOLUME, lambda: program.key("h")), plain)
        self.after(VOLUME, lambda: program.key("F1"))
        self.assertEqual(self.after(VOLUME, lambda: program.key("Escape")), plain)
        second = self.screenshot(program, "skde-view_0002.png")
        self.assertNotEqual(first, second)
        program.key("q")
        state = self.check_end(program)
        self.assertIsInstance(state["bandwidth"], float)
        self.assertEqual(state["sample"], SAMPLES.index((2, 2, 2)))
        self.assertEqual((state["full_slices"], state["slices"], state["points"]), (True, False, True))
        self.assertEqual(state["camera"]["elevation"], 90)
        self.assertEqual(state["files"], ["cube.xyz"])

    def test_a_mass_is_dragged_on_the_histogram(self):
        program = self.start("cube.xyz", "--dims", "32", "--view", "volume", "--mode", "isosurface", "--mass", "0.5,0.9")
        self.shown(VOLUME)
        program.click(LOOK)
        before = self.settled(VOLUME)
        # The lines lie somewhere on the histogram: a drag across it takes the first line that it begins on.
        for x in range(40, 290, 8):
            program.drag((x, HISTOGRAM), (x - 12, HISTOGRAM))
        self.assertNotEqual(self.settled(VOLUME, before), before)
        program.key("q")
        inner, outer = self.check_end(program)["masses"]
        self.assertLess(inner, outer)
        self.assertNotEqual((inner, outer), (0.5, 0.9))

    def test_a_click_pins_the_probe(self):
        program = self.start("cube.xyz", "--dims", "32", "--view", "volume")
        self.shown(VOLUME)
        self.after(VOLUME, lambda: program.key("1"))
        program.hand("mousemove", *MIDDLE)
        plain = self.settled(VOLUME)
        self.after(VOLUME, lambda: program.key("i"))  # the reading appears beside the mouse
        program.click(MIDDLE)
        program.hand("mousemove", MIDDLE[0] + 60, MIDDLE[1])
        program.click((MIDDLE[0] + 60, MIDDLE[1]))
        self.after(VOLUME, lambda: program.key("i"))
        self.assertNotEqual(self.settled(VOLUME), plain)
        program.key("q")
        state = self.check_end(program)
        self.assertFalse(state["probe"])
        (x, _, z), (other_x, _, other_z) = state["pins"]
        self.assertAlmostEqual(x, 2, delta=0.15)
        self.assertAlmostEqual(z, 2, delta=0.3)
        self.assertGreater(other_x, x + 0.5)

    def test_a_click_picks_an_ellipsoid(self):
        rows = "".join(f"1,{x},{y},{z},0.1,0,0,0.1,0,0.1\n" for x, y, z in SAMPLES)
        (self.folder / "mixture.csv").write_text("mass,x,y,z,xx,xy,xz,yy,yz,zz\n" + rows)
        program = self.start("mixture.csv", "--dims", "32")
        self.shown(VOLUME)
        self.after(VOLUME, lambda: program.key("1"))
        self.after(VOLUME, lambda: program.key("e"))
        self.after(VOLUME, lambda: program.click(MIDDLE))
        self.after(VOLUME, lambda: program.key("e"))
        program.key("q")
        state = self.check_end(program)
        middle = SAMPLES.index((2, 2, 2))
        self.assertEqual((state["ellipsoids"], state["ellipsoid"], state["sample"]), ("alone", middle, middle))

    def test_a_slow_density_leaves_the_window_alive(self):
        rows = "".join(f"{i % 17 / 17} {i % 13 / 13} {i % 11 / 11}\n" for i in range(5000))
        (self.folder / "slow.xyz").write_text(rows)
        program = self.start("slow.xyz", "--engine", "openmp", "--dims", "200", "--bounds", "0,0,0:1,1,1",
                             "--bandwidth", "0.1")
        self.shown(VOLUME)
        nothing = self.settled(PROGRESS)
        program.click((288, SLIDER[1]))  # kernels as large as the box: minutes of work
        wait_for("the progress of the work", lambda: self.screen.pixels(*PROGRESS) != nothing)
        for act in (lambda: program.key("1"), lambda: program.key("p"), lambda: program.drag(MIDDLE, (760, 380))):
            self.after(VOLUME, act)
        self.assertNotEqual(self.screen.pixels(*PROGRESS), nothing)  # still at work
        program.key("q")
        self.assertEqual(self.check_end(program)["bandwidth"], 0.1)  # that of the density shown

    def test_a_stream_is_shown_live(self):
        reading, writing = os.pipe()
        program = self.start("-", "--window", "200", "--every", "100", "--bounds=-4,-4,-4:4,4,4", "--bandwidth", "1,1,1",
                             "--dims", "24", stdin=reading)
        os.close(reading)
        with os.fdopen(writing, "w") as pipe:
            def send(place, count=100):
                pipe.write("".join(f"{place + i % 7 / 7} {place + i % 5 / 5} {i % 3 / 3}\n" for i in range(count)))
                pipe.flush()

            send(2)
            self.shown(VOLUME)
            there = self.settled(VOLUME)
            # While no data arrives, the current samples serve other requests.
            self.after(VOLUME, lambda: program.click((SLIDER[0] + 80, SLIDER[1])))  # hx
            send(-3, 50)  # and half of the samples that the next density needs
            self.after(VOLUME, lambda: program.click((SLIDER[0] + 20, SLIDER[1])))
            self.after(VOLUME, lambda: send(-3, 200))
            self.assertNotEqual(self.settled(VOLUME), there)
        self.settled(VOLUME)
        self.assertEqual(self.title(program), "standard input - skde-view")
        program.key("q")
        out, err = program.end()
        self.assertEqual((program.process.returncode, out, err), (0, "", ""))
        self.assertFalse((self.folder / "skde/view.json").exists())  # a stream cannot be opened again

    def test_standard_input_is_shown_as_a_file(self):
        reading, writing = os.pipe()
        program = self.start("-", "--dims", "24", stdin=reading)
        os.close(reading)
        with os.fdopen(writing, "w") as pipe:
            pipe.write("".join(f"{i % 7 / 7} {i % 5 / 5} {i % 3 / 3}\n" for i in range(300)))
        self.shown(VOLUME)
        self.settled(VOLUME)
        self.assertEqual(self.title(program), "standard input - skde-view")
        program.key("q")
        out, err = program.end()
        self.assertEqual((program.process.returncode, out, err), (0, "", ""))
        self.assertFalse((self.folder / "skde/view.json").exists())  # a stream cannot be opened again

    def test_errors_are_shown_and_the_window_stays(self):
        program = self.start("missing.ply")
        self.shown_dialog()
        dialog = self.settled(EVERYTHING)
        self.assertNotEqual(self.after(EVERYTHING, lambda: program.key("Return")), dialog)
        program.key("q")
        out, err = program.end()
        self.assertEqual((program.process.returncode, out, err), (0, "", ""))
        self.assertFalse((self.folder / "skde/view.json").exists())  # no view was opened

    def test_no_key_acts_behind_a_dialog(self):
        program = self.start("missing.ply")
        self.shown_dialog()
        dialog = self.settled(EVERYTHING)
        for key in ("q", "h", "p", "F12"):
            program.key(key)
        self.assertEqual(self.settled(EVERYTHING), dialog)
        panels = (0, 0, PANELS, 300)  # Tab would hide them; in newer versions of Dear ImGui it chooses a button of the dialog
        before = self.settled(panels)
        program.key("Tab")
        self.assertEqual(self.settled(panels), before)
        self.assertEqual([path.name for path in self.folder.glob("*.png")], [])
        self.after(EVERYTHING, lambda: program.key("Escape"))
        program.key("q")
        program.end()

    def test_nothing_is_lost_in_a_slow_frame(self):
        program = self.start("cube.xyz", "--dims", "24", "--view", "volume")
        self.shown(VOLUME)
        self.settled(EVERYTHING)
        with program.frozen():
            program.hand("mousemove", *SLIDER, "mousedown", 1, "mousemove", SLIDER[0] + 20, SLIDER[1],
                         "mousemove", SLIDER[0] + 60, SLIDER[1], "mouseup", 1, "mousemove", 900, 300)
            # GLFW takes key events within 20 ms of each other for a repeating key.
            program.hand("key", "--delay", 40, "p", "s", "p", "p", "F12", "F12", "1")
        wait_for("two pictures", lambda: (self.folder / "skde-view_0002.png").exists())
        program.key("q")
        state = self.check_end(program)
        self.assertEqual((state["points"], state["slices"]), (True, False))
        self.assertEqual(state["camera"]["elevation"], 0)
        self.assertGreater(state["bandwidth"], 2 * self.silverman_of_cube())

    def silverman_of_cube(self):
        return 2.4911 * len(SAMPLES) ** (-1 / 7)

    def drop(self, program, *names):
        source = Source(self.screen.display)
        try:
            source.drop(int(program.window), MIDDLE, [self.folder / name for name in names])
        finally:
            source.close()

    def test_dropped_files_are_opened_or_change_nothing(self):
        rows = "".join(f"{x},{y},{z},{x + 1}\n" for x, y, z in SAMPLES)
        (self.folder / "other.csv").write_text("x,y,z,w\n" + rows)
        (self.folder / "broken.ply").write_text("ply\nnothing else\n")
        program = self.start("cube.xyz", "--dims", "24", "--bandwidth", "1,1,2", "--units", "km",
                             "--bounds=-2,-2,-2:6,6,6")
        self.shown(VOLUME)
        before = self.settled(EVERYTHING)
        self.assertEqual(self.title(program), "cube.xyz - skde-view")
        self.after(EVERYTHING, lambda: self.drop(program, "broken.ply"))
        self.assertEqual(self.title(program), "cube.xyz - skde-view")
        program.key("Return")
        wait_for("the picture of before", lambda: self.screen.pixels() == before)
        self.after(VOLUME, lambda: self.drop(program, "other.csv"))
        wait_for("the title", lambda: self.title(program) == "other.csv - skde-view")
        program.key("q")
        state = self.check_end(program)
        self.assertEqual([Path(path).name for path in state["files"]], ["other.csv"])
        self.assertEqual((state["bandwidth"], state["bounds"], state["units"]), ("auto", None, ""))
        self.assertEqual(state["dims"][0], 24)

    def test_random_input_does_no_harm(self):
        program = self.start("cube.xyz", "--dims", "16")
        self.shown(VOLUME)
        keys = ("bracketleft", "bracketright", "1", "3", "7", "p", "s", "g", "h", "r", "Tab", "Escape", "Return",
                "space", "Left", "BackSpace", "5", "0", "period", "minus", "plus", "F5", "F6", "Up", "Down", "ctrl+z",
                "ctrl+y", "ctrl+c")
        self.random_input(program, random.Random(20), keys, 60)
        state = self.check_end(program)
        self.assertEqual([Path(path).name for path in state["files"]], ["cube.xyz"])

    def test_a_number_counts_once_it_is_typed(self):
        program = self.start("cube.xyz", "--dims", "24", "--view", "volume")
        self.shown(VOLUME)
        before = self.settled(VOLUME)
        program.hand("mousemove", *CELLS, "keydown", "ctrl", "sleep", 0.1, "click", 1, "sleep", 0.1, "keyup", "ctrl")
        program.key("2")
        program.key("8")
        time.sleep(0.5)  # nothing must happen, so there is no event to wait for
        self.assertEqual(self.screen.pixels(*VOLUME), before)
        self.after(VOLUME, lambda: program.key("Return"))
        program.key("q")
        self.assertEqual(self.check_end(program)["dims"][0], 28)

    def test_the_window_follows_its_size(self):
        program = self.start("cube.xyz", "--dims", "24", "--view", "volume")
        self.shown(VOLUME)
        for size in ((500, 300), (1, 1), (1200, 780)):
            self.after(EVERYTHING, lambda: program.hand("windowsize", program.window, *size))
        self.shown(VOLUME)
        program.key("q")
        self.check_end(program)


if __name__ == "__main__":
    run()
