"""Slices in a real window: the cross-hair is dragged, and the wheel steps through cells.

Run by ctest as `section_window_test.py PROGRAM`; exit code 77 if there is no virtual screen.
"""

from window_case import HEIGHT, PANELS, WIDTH, WindowCase, run

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


if __name__ == "__main__":
    run()
