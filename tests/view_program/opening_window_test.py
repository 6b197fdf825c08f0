"""Opening, keeping and writing files in a real window of skde-view.

Run by ctest as `opening_window_test.py OpeningTest.CASE PROGRAM`; exit code 77 if there is no virtual screen.
"""

import os
import shutil
import subprocess
from pathlib import Path

from virtual_screen import wait_for
from window_case import SAMPLES, VOLUME, WindowCase, run

TABLE = (345, 260, 590, 180)  # of the dialog of columns


class OpeningTest(WindowCase):
    def opened(self, program, name):
        wait_for("the title", lambda: self.title(program) == f"{name} - skde-view")

    def test_columns_are_chosen_in_the_window(self):
        table = "".join(f"t{i},{i % 5},{x},{y},{z}\n" for i, (x, y, z) in enumerate(SAMPLES))
        (self.folder / "odd.csv").write_text("when,q,u,v,w\n" + table)
        program = self.start("odd.csv", "--dims", "24")
        wait_for("a dialog", lambda: sum(green > 150 for green in self.screen.pixels(*TABLE)[1::4]) > 400)
        program.key("Return")
        self.shown(VOLUME)
        self.opened(program, "odd.csv")
        program.key("q")
        self.assertEqual(self.check_end(program)["columns"], ["q", "u", "v"])

    def test_the_dialog_of_files_is_used_by_keyboard_alone(self):
        (self.folder / "zoo").mkdir()
        (self.folder / "zoo/other.xyz").write_text("".join(f"{x} {y} {z + 1}\n" for x, y, z in SAMPLES))
        (self.folder / "zoo/notes.md").write_text("no cloud\n")
        program = self.start("cube.xyz", "--dims", "24")
        self.shown(VOLUME)
        self.after((), lambda: program.key("ctrl+o"))
        self.after((), lambda: program.key("Down"))  # to the second entry
        self.after((), lambda: program.key("Return"))
        self.after((), lambda: program.key("Down"))
        program.key("Return")  # the only file of a known format in it
        self.opened(program, "other.xyz")
        program.key("ctrl+z")
        self.opened(program, "cube.xyz")
        program.key("ctrl+y")
        self.opened(program, "other.xyz")
        program.key("ctrl+q")
        state = self.check_end(program)
        self.assertEqual([Path(path).name for path in state["files"]], ["other.xyz"])
        recent = (self.folder / "skde/recent.json").read_text()
        self.assertLess(recent.index("other.xyz"), recent.index("cube.xyz"))

    def test_a_hint_is_shown_on_the_first_use_alone(self):
        (self.folder / "skde/recent.json").unlink()
        program = self.start("cube.xyz", "--dims", "16", "--view", "volume")
        self.shown(VOLUME)
        with_hint = self.settled(VOLUME)
        program.key("F1")
        self.after(VOLUME, lambda: program.key("Escape"))
        without = self.settled(VOLUME)
        self.assertNotEqual(without, with_hint)
        program.key("q")
        self.check_end(program)
        program = self.start("cube.xyz", "--dims", "16", "--view", "volume")
        self.shown(VOLUME)
        wait_for("the view without a hint", lambda: self.screen.pixels(*VOLUME) == without)
        program.key("q")
        self.check_end(program)

    def test_steps_are_undone_and_redone(self):
        program = self.start("cube.xyz", "--dims", "24", "--view", "volume")
        self.shown(VOLUME)
        first = self.settled(VOLUME)
        second = self.after(VOLUME, lambda: program.key("1"))
        third = self.after(VOLUME, lambda: program.key("p"))
        self.assertEqual(self.after(VOLUME, lambda: program.key("ctrl+z")), second)
        self.assertEqual(self.after(VOLUME, lambda: program.key("ctrl+z")), first)
        self.after(VOLUME, lambda: program.key("ctrl+shift+z"))
        self.assertEqual(self.after(VOLUME, lambda: program.key("ctrl+y")), third)
        self.after(VOLUME, lambda: program.key("plus"))
        self.after(VOLUME, lambda: program.key("bracketright"))
        program.key("q")
        state = self.check_end(program)
        self.assertGreater(state["camera"]["zoom"], 1)
        self.assertIsInstance(state["bandwidth"], float)

    def test_a_file_is_read_again_when_it_changes(self):
        program = self.start("cube.xyz", "--dims", "24", "--view", "volume")
        self.shown(VOLUME)
        before = self.settled(VOLUME)
        moved = "".join(f"{3 * x} {y} {z}\n" for x, y, z in SAMPLES)
        (self.folder / "cube.xyz").write_text(moved)
        wait_for("the changed file", lambda: self.screen.pixels(*VOLUME) != before)
        wide = self.settled(VOLUME, before)
        os.utime(self.folder / "cube.xyz")  # the same content: the picture stays
        self.assertEqual(self.settled(VOLUME), wide)
        program.key("F5")
        self.assertEqual(self.settled(VOLUME), wide)
        program.key("q")
        self.check_end(program)

    def test_the_view_is_saved_by_the_dialog(self):
        program = self.start("cube.xyz", "--dims", "24", "--view", "volume")
        self.shown(VOLUME)
        self.after(VOLUME, lambda: program.key("7"))
        self.after((), lambda: program.key("ctrl+s"))
        program.key("Return")  # takes the proposed name, view.json
        path = self.folder / "view.json"
        saved = wait_for("the view", lambda: path.exists() and path.read_text())
        self.assertIn('"elevation": 90', saved)
        program.key("q")
        self.check_end(program)

    def test_letters_are_keys_on_every_layout(self):
        if shutil.which("setxkbmap") is None:
            self.skipTest("there is no setxkbmap; install x11-xkb-utils")
        environment = dict(os.environ, DISPLAY=self.screen.display)
        for layout, place in (("fr", 38), ("us", 24), ("ru", 24)):  # codes of the key whose letter is q
            with self.subTest(layout=layout):
                subprocess.run(["setxkbmap", layout], env=environment, check=True)
                program = self.start("cube.xyz", "--dims", "16")
                self.shown(VOLUME)
                program.hand("key", place)
                self.check_end(program)


if __name__ == "__main__":
    run()
