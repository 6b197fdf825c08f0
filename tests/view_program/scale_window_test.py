"""skde-view on displays with more pixels: letters, lines, panels and what the mouse hits grow alike."""

import ctypes
import os
import struct
import subprocess
import zlib

from virtual_screen import wait_for
from window_case import HEIGHT, MIDDLE_BESIDE, PANELS, PROGRAM, SAMPLES, SLIDER, VOLUME, WIDTH, WindowCase, run
from x_client import load_xlib

RESOURCE_MANAGER, STRING = 23, 31  # predefined atoms
ALIKE = 0.05  # of 255, on average


def set_display_scale(display, scale):
    """Asks for letters of this scale as desktops do: by a resource of the root window, which GLFW reads."""
    xlib = load_xlib()
    opened = ctypes.c_void_p(xlib.XOpenDisplay(display.encode()))
    root = ctypes.c_ulong(xlib.XDefaultRootWindow(opened))
    text = f"Xft.dpi:\t{round(96 * scale)}\n".encode()
    xlib.XChangeProperty(opened, root, ctypes.c_ulong(RESOURCE_MANAGER), ctypes.c_ulong(STRING), 8, 0, text, len(text))
    xlib.XCloseDisplay(opened)


def png_of(pixels, width, height):
    """Returns rows of blue, green, red and an unused byte as a PNG."""
    rgb = bytearray(3 * width * height)
    for channel in range(3):
        rgb[channel::3] = pixels[2 - channel::4]
    rows = b"".join(b"\0" + rgb[3 * width * y:3 * width * (y + 1)] for y in range(height))
    chunks = ((b"IHDR", struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows, 1)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack(">I", len(data)) + name + data +
                                           struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks)


class ScaleTest(WindowCase):
    SCREEN = (2 * WIDTH, 2 * HEIGHT)
    FLAGS = ("cube.xyz", "--dims", "24", "--view", "both")

    def test_at_1_25(self):
        self.check_scale(1.25)

    def test_at_1_5(self):
        self.check_scale(1.5)

    def test_at_2(self):
        self.check_scale(2)

    def check_scale(self, scale):
        def scaled(place):
            return tuple(round(scale * part) for part in place)

        set_display_scale(self.screen.display, scale)
        program = self.start(*self.FLAGS)
        size, volume, slider = scaled((WIDTH, HEIGHT)), scaled(VOLUME), scaled(SLIDER)
        self.shown(volume)
        self.assertEqual(program.ask("getwindowgeometry", program.window).split()[-1], "{}x{}".format(*size))
        program.hand("mousemove", size[0] - 5, size[1] - 5)
        self.settled(volume)
        (self.folder / "window.png").write_bytes(png_of(self.screen.pixels(0, 0, *size), *size))
        self.check_alike("window.png", size, scale, "--panels")
        views = scaled((WIDTH - PANELS, HEIGHT))
        picture = self.screenshot(program, "skde-view_0001.png")
        self.assertEqual(struct.unpack(">II", picture[16:24]), views)
        self.check_alike("skde-view_0001.png", views, scale)

        self.after(volume, lambda: program.key("1"))
        self.after(volume, lambda: program.click(scaled(MIDDLE_BESIDE)))
        self.after(volume, lambda: program.drag(slider, (slider[0] + round(40 * scale), slider[1])))
        edge = round(scale * (PANELS - 3)), round(scale * 400)
        self.after(volume, lambda: program.drag(edge, (edge[0] + round(80 * scale), edge[1])))
        program.key("q")
        state = self.check_end(program)
        self.assertEqual(state["sample"], SAMPLES.index((2, 2, 2)))
        self.assertAlmostEqual(state["bandwidth"], self.dragged_at_1(), delta=0.04 * state["bandwidth"])
        self.assertEqual(state["division"]["panels"], PANELS + 80)

    def dragged_at_1(self):
        """Returns the bandwidth after the same drag of the slider on a display of scale 1."""
        set_display_scale(self.screen.display, 1)
        program = self.start(*self.FLAGS)
        self.shown(VOLUME)
        self.after(VOLUME, lambda: program.drag(SLIDER, (SLIDER[0] + 40, SLIDER[1])))
        program.key("q")
        return self.check_end(program)["bandwidth"]

    def check_alike(self, name, size, scale, *flags):
        """Checks that a picture is the one that --scale draws without a display."""
        done = subprocess.run(
            [PROGRAM, *self.FLAGS, *flags, "--size", "{}x{}".format(*size), "--scale", str(scale), "--screenshot", "drawn.png",
             "--reference", name, "--threshold", str(ALIKE)],
            cwd=self.folder, env=dict(os.environ, LIBGL_ALWAYS_SOFTWARE="1"), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    run()
