"""Slices and selections in a real window: the cross-hair is dragged, boxes and lassos are drawn.

Run by ctest as `section_window_test.py PROGRAM`; exit code 77 if there is no virtual screen.
"""

from window_case import HEIGHT, MIDDLE, PANELS, SAMPLES, WIDTH, WindowCase, run

# The middles of the flat slices, in a window of this size: half of what panels and colour bar leave.
HALF = (WIDTH - PANELS - 112) // 2
ACROSS_Y, ACROSS_X, ACROSS_Z = ((PANELS + HALF * (0.5 + i), HEIGHT * (0.25 + 0.5 * j)) for i, j in ((0, 0), (1, 0), (0, 1)))


class SectionWindowTest(WindowCase):
    def test_the_cross_hair_is_dragged(self):
        program = self.start("cube.xyz", "--dims", "32", "--bounds=-1,-1,-1:5,5,5", "--view", "slices")
        flat = (PANELS + 10, 10, HALF, HEIGHT - 20)
        self.shown(flat)

        def place(x, y):
            return (round(x), round(y))

        # To the right in the slice across y moves x alone, and upwards there moves z alone.
        self.after(flat, lambda: program.drag(place(*ACROSS_Y), place(ACROSS_Y[0] + 40, ACROSS_Y[1] - 25)))
        # To the right in the slice across x moves y.
        self.after(flat, lambda: program.drag(place(ACROSS_X[0], ACROSS_X[1]), place(ACROSS_X[0] - 50, ACROSS_X[1] - 25)))
        # The wheel over the slice across z moves it by a cell.
        program.hand("mousemove", *place(*ACROSS_Z))
        self.after(flat, lambda: program.hand("click", 4))
        program.key("q")
        state = self.check_end(program)
        x, y, z = state["sections"]["at"]
        self.assertGreater(x, 2.2)
        self.assertLess(y, 1.6)
        self.assertGreater(z, 2.2)
        cell = (z + 1) / (6 / 32)
        self.assertAlmostEqual(cell % 1, 0.5, places=6)  # at the middle of a cell
        self.assertEqual(state["layout"], "slices")

    def test_a_box_and_a_lasso_select(self):
        volume = (PANELS + 10, 10, 700, HEIGHT - 20)
        program = self.start("cube.xyz", "--dims", "24", "--view", "volume")
        self.shown(volume)
        self.after(volume, lambda: program.key("1"))
        middle_x, middle_y = MIDDLE
        before = self.settled(volume)
        program.hand("keydown", "ctrl")
        program.drag((middle_x - 330, 30), (middle_x, HEIGHT - 30))
        program.hand("keyup", "ctrl")
        self.settled(volume, before)
        program.hand("keydown", "ctrl", "keydown", "shift")
        corners = [(middle_x - 20, middle_y - 20), (middle_x + 30, middle_y - 10), (middle_x + 10, middle_y + 30)]
        program.hand("mousemove", *corners[0], "sleep", 0.1, "mousedown", 1, "sleep", 0.2, "mousemove", *corners[1],
                     "sleep", 0.2, "mousemove", *corners[2], "sleep", 0.2, "mouseup", 1)
        program.hand("keyup", "shift", "keyup", "ctrl")
        self.settled(volume)
        program.key("q")
        state = self.check_end(program)
        self.assertTrue(state["points"])
        (selection,) = state["selection"]

        def picture(sample):
            rows = [selection["to_picture"][4 * i:4 * i + 4] for i in range(3)]
            x, y, w = (sum(a * b for a, b in zip(row, (*sample, 1))) for row in rows)
            return x / w, y / w

        # The lasso, the last of the two, goes around the cube's middle and no corner.
        xs, ys = zip(*selection["outline"])
        self.assertGreaterEqual(len(xs), 3)
        around = [sample for sample in SAMPLES
                  if min(xs) < picture(sample)[0] < max(xs) and min(ys) < picture(sample)[1] < max(ys)]
        self.assertEqual(around, [(2, 2, 2)])


if __name__ == "__main__":
    run()
