"""Five things that a new user wants of skde-view, each in at most three actions from a cold start, by mouse and by keyboard.

Run by ctest as `first_actions_window_test.py PROGRAM`; exit code 77 if there is no virtual screen.
"""

import json
import random
import zlib

from virtual_screen import wait_for
from window_case import SLIDER, VOLUME, WindowCase, run

LOOK, QUESTIONS, PICTURE = (94, 111), (157, 111), (229, 111)  # tabs
HALF, ON_WHITE = (119, 193), (267, 167)
PEAK, MORE, OTHER_H = (203, 257), (157, 289), (203, 315)
PLACE = (1, 2, 3)  # of the peak
WHOLE = (0, 0, 1000, 600)  # enough of the window


class FirstActionsTest(WindowCase):
    def done(self, most, *actions):
        """Does these things in a new window, and returns its state at the end."""
        self.assertLessEqual(len(actions), most)
        hand = random.Random(8)
        rows = [f"{hand.uniform(-4, 4)} {hand.uniform(-4, 4)} {hand.uniform(-4, 4)}" for _ in range(60)]
        rows += [" ".join(str(hand.gauss(place, 0.3)) for place in PLACE) for _ in range(60)]
        (self.folder / "cloud.xyz").write_text("\n".join(rows) + "\n")
        program = self.start("cloud.xyz", "--dims", "24")
        self.shown(VOLUME)
        self.settled(WHOLE)
        for kind, *what in actions:
            getattr(program, kind)(*what)
            self.settled(WHOLE)
        program.key("q")
        return self.check_end(program)

    def both(self, check, mouse, keyboard):
        for actions in (mouse, keyboard):
            with self.subTest(actions=actions):
                (self.folder / "skde/panels.json").unlink(missing_ok=True)
                check(self.done(3, *actions))

    def test_h_is_changed(self):
        self.both(lambda state: self.assertIsInstance(state["bandwidth"], float),
                  [("drag", SLIDER, (SLIDER[0] + 40, SLIDER[1]))], [("key", "bracketright")])

    def test_the_surface_of_half_of_the_mass_is_shown(self):
        self.both(lambda state: self.assertEqual((state["mode"], state["masses"]), ("isosurface", [0.5])),
                  [("click", LOOK), ("click", HALF)], [("key", "l")])

    def test_a_picture_on_white_is_saved(self):
        def check(state):
            path = self.folder / "skde-view_0001.png"
            picture = wait_for("the picture", lambda: path.exists() and path.read_bytes())
            at = picture.index(b"IDAT")
            rows = zlib.decompress(picture[at + 4:at + 4 + int.from_bytes(picture[at - 4:at], "big")])
            self.assertEqual(rows[1:4], b"\xff\xff\xff")  # the first pixel, behind the filter of its row
            self.assertEqual(state["appearance"]["ground"], "theme")
            path.unlink()

        self.both(check, [("click", PICTURE), ("click", ON_WHITE)], [("key", "shift+F12")])

    def test_two_bandwidths_are_compared(self):
        def check(state):
            self.assertEqual((state["layout"], state["compare"]["as"]), ("slices", "side"))
            self.assertTrue(state["compare"]["with"].startswith("h="))

        self.both(check, [("click", QUESTIONS), ("click", MORE), ("drag", OTHER_H, (OTHER_H[0] - 40, OTHER_H[1]))],
                  [("key", "c")])

    def test_the_peak_is_told(self):
        def check(state):
            for value, wanted in zip(state["sections"]["at"], PLACE):
                self.assertAlmostEqual(value, wanted, delta=0.6)

        self.both(check, [("click", QUESTIONS), ("click", PEAK)], [("key", "k")])

    def test_a_control_is_found_by_keyboard(self):
        self.done(3, ("key", "ctrl+f"), ("key", *"flip"), ("key", "Return"))
        self.assertEqual(json.loads((self.folder / "skde/panels.json").read_text()), ["Picture", "Picture"])


if __name__ == "__main__":
    run()
