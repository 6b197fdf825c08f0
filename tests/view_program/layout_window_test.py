"""How skde-view divides a real window among the volume, the method and the panels."""

from virtual_screen import wait_for
from window_case import HEIGHT, METHOD, PANELS, VOLUME, WIDTH, WindowCase, run

HANDLE = (12, 12)  # the button that shows hidden panels


class LayoutTest(WindowCase):
    def test_the_method_comes_on_demand_and_its_border_is_dragged(self):
        program = self.start("cube.xyz", "--dims", "24")
        self.shown(VOLUME)
        alone = self.settled(VOLUME)
        self.after(VOLUME, lambda: program.key("m"))
        beside = PANELS + int(0.4 * (WIDTH - PANELS))
        self.after(METHOD, lambda: program.drag((beside, 200), (beside - 140, 300)))
        program.key("m")
        wait_for("the volume alone again", lambda: self.screen.pixels(*VOLUME) == alone)
        self.after(VOLUME, lambda: program.key("m"))
        for _ in range(3):
            self.after(METHOD, lambda: program.key("period"))
        self.after(METHOD, lambda: program.key("comma"))
        still = self.settled(METHOD)
        program.key("a")
        wait_for("the next slice", lambda: self.screen.pixels(*METHOD) != still)
        program.key("a")
        program.key("q")
        state = self.check_end(program)
        self.assertEqual(state["layout"], "both")
        self.assertAlmostEqual(state["method"]["apart"], 1.25**2)
        self.assertFalse(state["method"]["plays"])
        self.assertAlmostEqual(state["division"]["method"], (beside - 140 - PANELS) / (WIDTH - PANELS), delta=0.01)

    def test_panels_are_dragged_and_hidden_and_give_way_in_a_small_window(self):
        program = self.start("cube.xyz", "--dims", "24")
        self.shown(VOLUME)
        self.after(VOLUME, lambda: program.drag((PANELS - 3, 400), (PANELS + 77, 420)))
        first = self.screenshot(program, "skde-view_0001.png")
        self.assertEqual(self.width_of(first), WIDTH - PANELS - 80)
        self.after(VOLUME, lambda: program.key("Tab"))
        self.assertEqual(self.width_of(self.screenshot(program, "skde-view_0002.png")), WIDTH)
        self.after(VOLUME, lambda: program.click(HANDLE))
        left = (0, 60, 200, 200)
        small = self.after(left, lambda: program.hand("windowsize", program.window, 400, 300))
        self.assertNotEqual(self.after(left, lambda: program.key("Tab")), small)  # over the picture
        self.assertEqual(self.width_of(self.screenshot(program, "skde-view_0003.png")), 400)
        self.after(left, lambda: program.key("Tab"))
        program.key("q")
        division = self.check_end(program)["division"]
        self.assertEqual((division["panels"], division["panels_shown"]), (PANELS + 80, True))

    def width_of(self, png):
        return int.from_bytes(png[16:20], "big")


if __name__ == "__main__":
    run()
