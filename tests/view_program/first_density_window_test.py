"""What a real window shows before the first density, and that nothing which needs a density does harm then.

Run by ctest as `first_density_window_test.py PROGRAM`; exit code 77 if there is no virtual screen.
"""

import random

from virtual_screen import wait_for
from window_case import HEIGHT, MIDDLE, PANELS, PROGRESS, SLIDER, WIDTH, WindowCase, run

# The halves of the view, above the bar of progress and the triad of axes.
HALF = (WIDTH - PANELS - 20) // 2
LEFT, RIGHT = ((PANELS + 10 + i * HALF, 10, HALF, 660) for i in (0, 1))
CANCEL = (938, 734)
MINUTES = ("--engine", "openmp", "--dims", "320", "--bounds=-1,-1,-1:1,1,1", "--bandwidth", "10")


def greys(pixels):
    """Counts the pixels of lines and samples, which are grey and brighter than the ground."""
    return sum(min(color) > 90 and max(color) - min(color) < 30 for color in zip(pixels[::4], pixels[1::4], pixels[2::4]))


def colours(pixels):
    """Counts the pixels that only a density has."""
    return sum(max(color) - min(color) > 60 for color in zip(pixels[::4], pixels[1::4], pixels[2::4]))


class FirstDensityWindowTest(WindowCase):
    def setUp(self):
        super().setUp()
        hand = random.Random(5)
        rows = "".join(f"{hand.uniform(-0.9, -0.5)} {hand.uniform(-1, 1)} {hand.uniform(-0.8, 0.8)}\n" for _ in range(5000))
        (self.folder / "left.xyz").write_text(rows)

    def halves(self):
        """Counts the grey pixels in the left and in the right half of the view."""
        return greys(self.screen.pixels(*LEFT)), greys(self.screen.pixels(*RIGHT))

    def until_samples(self):
        """Waits for the samples, and checks that no density came before them."""
        def seen():
            self.assertEqual(colours(self.screen.pixels(*LEFT)), 0)
            return sum(self.halves()) > 4000

        wait_for("box and samples", seen)

    def test_box_and_samples_come_first(self):
        program = self.start("left.xyz", *MINUTES)
        self.until_samples()
        self.after(LEFT, lambda: program.key("1"))
        left, right = self.halves()
        self.assertGreater(left, 4000)  # all samples are there
        self.assertGreater(right, 1000)  # edges, ticks and captions of the box
        self.assertLess(right, left / 2)
        wait_for("the progress of the work", lambda: greys(self.screen.pixels(*PROGRESS)) > 200)
        self.assertEqual(self.title(program), "left.xyz - skde-view")
        for act in (lambda: program.key("3"), lambda: program.key("7"), lambda: program.drag(MIDDLE, (760, 380)),
                    lambda: program.hand("mousemove", *MIDDLE, "click", 4), lambda: program.key("m")):
            self.after(LEFT, act)
        program.key("m", "1", "p", "p", "r", "1", "p")
        self.assertGreater(len(self.screenshot(program, "skde-view_0001.png")), 5000)
        program.click(CANCEL)
        wait_for("the end of the work", lambda: greys(self.screen.pixels(*PROGRESS)) < 200)
        self.assertGreater(self.halves()[0], 4000)
        self.assertEqual(colours(self.screen.pixels(*LEFT)), 0)
        program.key("p")
        program.click(SLIDER)  # a quick density takes over
        self.shown(LEFT)
        wait_for("no samples", lambda: self.halves()[0] < 4000)
        program.key("q")
        self.assertLess(self.check_end(program)["bandwidth"], 1)

    def test_an_error_leaves_box_and_samples(self):
        program = self.start("left.xyz", "--kernel", "gaussian", "--engine", "span", "--bounds=-1,-1,-1:1,1,1")
        self.shown_dialog()
        self.close_dialog(program)
        self.until_samples()
        program.key("F5")
        self.shown_dialog()
        self.close_dialog(program)
        program.key("q")
        out, err = program.end()
        self.assertEqual((program.process.returncode, out, err), (0, "", ""))

    def test_random_input_before_the_first_density_does_no_harm(self):
        for seed in (3, 4):
            layout = ("volume", "slices")[seed % 2]
            program = self.start("left.xyz", *MINUTES, "--view", layout, "--slices", "0,0,0", "--compare", "h=0.3", "--score", "lscv")
            wait_for("something", lambda: sum(self.halves()) > 500)
            keys = ("bracketleft", "bracketright", "1", "3", "7", "p", "s", "g", "h", "r", "i", "e", "m", "a", "comma", "period", "Tab", "Escape",
                    "Return", "space", "Left", "BackSpace", "5", "0", "minus", "plus", "F5", "F6", "F12", "Up", "Down",
                    "ctrl+z", "ctrl+y", "ctrl+c")
            self.random_input(program, random.Random(seed), keys, 40)
            out, err = program.end()
            self.assertEqual((program.process.returncode, out, err), (0, "", ""))


if __name__ == "__main__":
    run()
