"""Questions in a real window: h is taken from the curve of scores, and another density stands beside the first.

Run by ctest as `question_window_test.py PROGRAM`; exit code 77 if there is no virtual screen.
"""

import random

from window_case import HEIGHT, PANELS, VOLUME, WIDTH, WindowCase, run

CURVE = (10, 372, 290, 86)  # left, top, width, height of the curve, under the buttons of the score
HALF = (WIDTH - PANELS - 112) // 2  # of what panels and colour bar leave


class QuestionWindowTest(WindowCase):
    def blobs(self):
        hand = random.Random(4)
        rows = "".join(f"{hand.gauss(3 * (i % 2), 1)} {hand.gauss(0, 1)} {hand.gauss(0, 1)}\n" for i in range(400))
        (self.folder / "blobs.xyz").write_text(rows)
        return "blobs.xyz"

    def test_h_is_taken_from_the_curve(self):
        (self.folder / "skde/panels.json").write_text('["Density", "Density"]')  # with "more" open
        program = self.start(self.blobs(), "--dims", "24", "--view", "volume", "--score", "lscv")
        self.shown(VOLUME)
        self.shown(CURVE)  # its line is blue, the best h red
        self.settled(CURVE)
        self.after(VOLUME, lambda: program.click((CURVE[0] + CURVE[2] // 2, CURVE[1] + 50)))
        program.key("q")
        state = self.check_end(program)
        self.assertEqual(state["score"], "lscv")
        self.assertIsInstance(state["bandwidth"], float)
        self.assertIsNone(state["bounds"])  # the box was kept only meanwhile

    def test_another_density_stands_beside_the_first(self):
        program = self.start(self.blobs(), "--dims", "24", "--view", "volume", "--compare", "h=0.5")
        left, right = ((PANELS + i * HALF + 40, 200, HALF - 80, HEIGHT - 400) for i in (0, 1))
        self.shown(left)
        self.shown(right)
        before = self.settled(right)
        # The other half turns the same camera.
        self.after(left, lambda: program.drag((PANELS + HALF + HALF // 2, 400), (PANELS + HALF + HALF // 2 + 60, 400)))
        self.assertNotEqual(self.settled(right), before)
        program.key("q")
        self.assertEqual(self.check_end(program)["compare"], {"with": "h=0.5", "as": "side"})


if __name__ == "__main__":
    run()
