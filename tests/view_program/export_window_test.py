"""What the button "save" writes from a real window of skde-view, read back by skde or here.

Run by ctest as `export_window_test.py ExportTest.CASE PROGRAM`; exit code 77 if there is no virtual screen.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

from virtual_screen import wait_for
from window_case import HEIGHT, PANELS, PROGRAM, SAMPLES, VOLUME, WIDTH, WindowCase, run

SAVE = (92, 54)  # the button
ENTRIES = ("view", "picture", "volume", "surface", "samples")  # of its menu, downwards


class ExportTest(WindowCase):
    def skde(self, *arguments):
        done = subprocess.run([Path(PROGRAM).with_name("skde"), *arguments], cwd=self.folder, check=True,
                              capture_output=True, text=True)
        return done.stdout

    def opened(self):
        program = self.start("cube.xyz", "--dims", "24", "--bandwidth", "1.1", "--mode", "isosurface", "--isovalue", "0.5",
                             "--view", "volume")
        self.shown(VOLUME)
        self.settled(VOLUME)
        return program

    def ask(self, program, entry, name):
        """Chooses an entry of the menu, and answers the dialog."""
        self.after((), lambda: program.click(SAVE))
        for key in ("Down", "Up", *["Down"] * ENTRIES.index(entry)):
            self.after((), lambda: program.key(key))
        self.after((), lambda: program.key("space"))
        program.hand("type", "--delay", 40, name)
        program.key("Return")

    def written(self, program, entry, name):
        self.ask(program, entry, name)
        path = self.folder / name
        wait_for(name, path.exists)  # files appear whole
        return path

    def clipboard(self, part):
        """Returns what was copied, if it has this part."""
        found = subprocess.run(["xclip", "-o", "-selection", "clipboard"], check=False, capture_output=True, text=True,
                               env=dict(os.environ, DISPLAY=self.screen.display))
        return part in found.stdout and found.stdout

    def mesh_header(self, path):
        """Returns the words of each line."""
        mesh = path.read_bytes()
        return [line.split() for line in mesh[:mesh.index(b"end_header")].decode().splitlines()]

    def test_each_entry_of_the_menu_writes_what_is_shown(self):
        program = self.opened()
        view = json.loads(self.written(program, "view", "kept.json").read_text())
        self.assertEqual((view["bandwidth"], view["layout"]), (1.1, "volume"))

        picture = self.written(program, "picture", "seen.png").read_bytes()
        self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
        size = [int.from_bytes(picture[at:at + 4], "big") for at in (16, 20)]
        self.assertEqual(size, [WIDTH - PANELS, HEIGHT])

        self.written(program, "volume", "shown.vti")
        self.skde("density", "cube.xyz", "--dims", "24", "--bandwidth", "1.1", "-o", "expected.vti", "--quiet")
        compared = json.loads(self.skde("compare", "shown.vti", "expected.vti", "--json"))
        self.assertEqual((compared["grid"]["dims"], compared["largest"]), ([24, 24, 24], 0))

        header = self.mesh_header(self.written(program, "surface", "surface.ply"))
        level = next(words[2] for words in header if words[:2] == ["comment", "level:"])
        self.skde("iso", "expected.vti", "--level", level, "-o", "expected.ply", "--quiet")
        expected = self.mesh_header(self.folder / "expected.ply")
        self.assertEqual([words for words in header if words[0] == "element"],
                         [words for words in expected if words[0] == "element"])

        rows = self.written(program, "samples", "kept.csv").read_text().splitlines()
        self.assertEqual([tuple(map(float, row.split(","))) for row in rows[1:]], SAMPLES)
        program.key("q")
        self.check_end(program)

    def test_the_samples_are_saved_by_keyboard_alone(self):
        program = self.opened()
        program.key("F6")
        for key in ("Down", "Down", "Left", "space"):  # undo and redo are not available, and skipped
            self.after((), lambda: program.key(key))
        for key in ["Down"] * ENTRIES.index("samples") + ["space"]:
            self.after((), lambda: program.key(key))
        program.hand("type", "--delay", 40, "typed.csv")
        program.key("Return")
        rows = wait_for("the samples", (self.folder / "typed.csv").exists) and (self.folder / "typed.csv").read_text()
        self.assertEqual(len(rows.splitlines()), 1 + len(SAMPLES))
        program.key("q")
        self.check_end(program)

    def test_what_cannot_be_written_leaves_nothing_and_the_window_stays(self):
        program = self.opened()
        before = sorted(self.folder.rglob("*"))
        for entry, name in zip(ENTRIES, ("a.json", "a.png", "a.vti", "a.ply", "a.csv")):
            with self.subTest(entry=entry):
                self.ask(program, entry, f"none/{name}")
                self.shown_dialog()
                if shutil.which("xclip"):
                    program.key("space")  # the button "copy"
                    told = wait_for("the error", lambda: self.clipboard(name))
                    self.assertIn(f"the folder '{self.folder}/none' does not exist; create it first", told)
                self.close_dialog(program)
                self.assertEqual(sorted(self.folder.rglob("*")), before)
        program.key("q")
        self.check_end(program)


if __name__ == "__main__":
    run()
