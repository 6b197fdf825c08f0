"""What skde-view's window copies, pasted back by xclip: pictures, and the command of what is shown."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

from virtual_screen import LIMIT, wait_for
from window_case import DIALOG, PROGRAM, SLIDER, VOLUME, WindowCase, run

NOTICE = (980, 700, 300, 100)  # left, top, width, height of where notices are told
SAVE, VOLUME_ITEM, MENU = (91, 54), (110, 109), (60, 70, 200, 100)
SKDE = Path(PROGRAM).with_name("skde")


class ClipboardTest(WindowCase):
    def start_with(self, tools, *arguments):
        """Starts the viewer where it finds these scripts alone, and this test its hand."""
        folder, before = self.folder / "tools", os.environ["PATH"]
        folder.mkdir()
        (folder / "xdotool").symlink_to(shutil.which("xdotool"))
        for name, script in tools.items():
            (folder / name).write_text(f"#!/bin/sh\n{script}\n")
            (folder / name).chmod(0o700)
        os.environ["PATH"] = str(folder)
        try:
            return self.start(*arguments)
        finally:
            os.environ["PATH"] = before

    def pasted(self, target):
        done = subprocess.run(["xclip", "-selection", "clipboard", "-t", target, "-o"], timeout=LIMIT, capture_output=True,
                              env=dict(os.environ, DISPLAY=self.screen.display), check=False)
        return done.stdout

    def require_xclip(self):
        if shutil.which("xclip") is None:
            self.skipTest("there is no xclip; install it")

    def test_a_picture_is_pasted(self):
        self.require_xclip()
        program = self.start("cube.xyz", "--dims", "24")
        self.shown(VOLUME)
        self.settled(VOLUME)
        for key, name in (("1", "skde-view_0001.png"), ("7", "skde-view_0002.png")):
            self.after(VOLUME, lambda: program.key(key))
            last = self.screenshot(program, name)
            wait_for("the picture on the clipboard", lambda: self.pasted("image/png") == last)
        program.key("q")
        self.check_end(program)
        self.assertEqual(self.pasted("image/png"), last)  # it stays when the viewer has ended
        self.assertIn(b"image/png", self.pasted("TARGETS"))
        environment = dict(os.environ, DISPLAY=self.screen.display, LIBGL_ALWAYS_SOFTWARE="1")
        done = subprocess.run([PROGRAM, "cube.xyz", "--dims", "24", "--size", "96x64", "--screenshot", "a.png", "--copy"],
                              cwd=self.folder, env=environment, check=True, capture_output=True, text=True)
        self.assertIn("copied to the clipboard\n", done.stdout)
        self.assertEqual(self.pasted("image/png"), (self.folder / "a.png").read_bytes())

    def test_a_document_is_written_and_pasted(self):
        self.require_xclip()
        for view, ending, target in (("both", "svg", "image/svg+xml"), ("method", "svg", "image/svg+xml"),
                                     ("volume", "pdf", "application/pdf")):
            flags = ("cube.xyz", "--dims", "24", "--view", view)
            program = self.start(*flags, "--picture-format", ending, "--picture-size", "640x480")
            self.shown(VOLUME)
            before = self.settled(VOLUME)
            document = self.screenshot(program, f"skde-view_0001.{ending}")
            wait_for("the document on the clipboard", lambda: self.pasted(target) == document)
            self.assertEqual(self.settled(VOLUME), before)
            program.key("q")
            seen = self.check_end(program)["appearance"]
            self.assertEqual((seen["format"], seen["size"]), (ending, [640, 480]))
            drawn = self.folder / f"drawn.{ending}"
            subprocess.run([PROGRAM, *flags, "--size", "640x480", "--screenshot", drawn], cwd=self.folder, check=True,
                           env=dict(os.environ, LIBGL_ALWAYS_SOFTWARE="1"), capture_output=True)
            if ending == "svg":  # a PDF has the time of its making
                self.assertEqual(document, drawn.read_bytes())
            (self.folder / f"skde-view_0001.{ending}").unlink()

    def test_the_command_is_pasted_and_computes_what_is_shown(self):
        self.require_xclip()
        program = self.start("cube.xyz", "--dims", "24", "--kernel", "gaussian")
        self.shown(VOLUME)
        self.after(VOLUME, lambda: program.drag(SLIDER, (SLIDER[0] - 30, SLIDER[1])))
        program.key("u")
        address = b"http://127.0.0.1:8080/view#file=cube.xyz&"
        wait_for("an address on the clipboard", lambda: self.pasted("UTF8_STRING").startswith(address))
        program.key("ctrl+c")
        command = wait_for("a command on the clipboard", lambda: shlex.split(self.pasted("UTF8_STRING").decode()))
        self.assertEqual(command[:3], ["skde", "density", "cube.xyz"])
        self.after(MENU, lambda: program.click(SAVE))
        self.after(DIALOG, lambda: program.click(VOLUME_ITEM))
        program.key("Return")  # takes the proposed name, density.vti
        wait_for("the volume", (self.folder / "density.vti").exists)
        shown = self.values()
        program.key("q")
        h = self.check_end(program)["bandwidth"]
        self.assertIn(f"--bandwidth={h}", command)
        subprocess.run([SKDE, *command[1:]], cwd=self.folder, check=True, capture_output=True)
        self.assertEqual(self.values(), shown)

    def values(self):
        subprocess.run([SKDE, "convert", "density.vti", "-o", "values.npy"], cwd=self.folder, check=True, capture_output=True)
        return (self.folder / "values.npy").read_bytes()

    def test_without_a_tool_the_picture_is_written_and_what_to_install_is_said_once(self):
        program = self.start_with({}, "cube.xyz", "--dims", "24")
        self.shown(VOLUME)
        self.settled(NOTICE)
        heights = []
        for name in ("skde-view_0001.png", "skde-view_0002.png"):
            pixels = self.after(NOTICE, lambda: self.screenshot(program, name))
            rows = [pixels[begin:begin + 4 * NOTICE[2]] for begin in range(0, len(pixels), 4 * NOTICE[2])]
            heights.append(sum(max(row[1::4]) > 150 for row in rows))
        self.assertGreater(heights[0], heights[1] + 6)  # a line less
        program.key("q")
        self.check_end(program)

    def test_a_tool_that_hangs_does_not_hold_up_the_window(self):
        program = self.start_with({"xclip": "exec /bin/sleep 100"}, "cube.xyz", "--dims", "24", "--view", "volume")
        self.shown(VOLUME)
        self.settled(VOLUME)
        self.screenshot(program, "skde-view_0001.png")
        self.after((740, 60, 230, 400), lambda: program.key("1"))
        program.key("q")
        self.check_end(program)


if __name__ == "__main__":
    run()
