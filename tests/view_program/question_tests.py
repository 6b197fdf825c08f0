"""What skde-view answers about a density, against skde: scores of bandwidths, comparisons and films.

Run by ctest as `question_tests.py SKDE-VIEW SKDE`.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SKDE = sys.argv.pop() if len(sys.argv) > 2 else ""
VIEW = sys.argv.pop() if len(sys.argv) > 1 else ""


class QuestionTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.seed = random.SystemRandom().randrange(10**6)

    def run_program(self, *arguments):
        environment = {**os.environ, "XDG_STATE_HOME": str(self.folder), "LIBGL_ALWAYS_SOFTWARE": "1"}
        environment.pop("DISPLAY", None)
        done = subprocess.run(arguments, capture_output=True, text=True, cwd=self.folder, env=environment)
        self.assertEqual(done.returncode, 0, f"seed {self.seed}: {done.stderr}")
        return done.stdout

    def view(self, *arguments):
        return self.run_program(VIEW, *arguments, "--screenshot", "picture.png", "--size", "320x240")

    def skde(self, *arguments):
        return json.loads(self.run_program(SKDE, *arguments, "--json"))

    def cloud(self, samples):
        self.run_program(SKDE, "generate", "five-gaussians", "--samples", str(samples), "--seed", str(self.seed),
                         "-o", "cloud.ply")
        return "cloud.ply"

    def test_scores_are_those_of_skde_bandwidth(self):
        cloud = self.cloud(3000)
        for kernel in ("epanechnikov", "gaussian"):
            flags = [cloud, "--kernel", kernel]
            plug_in = self.skde("bandwidth", *flags, "--method", "plug-in")["h"]
            silverman = self.skde("bandwidth", *flags, "--method", "silverman")["h"]
            for score in ("lscv", "lcv"):
                with self.subTest(kernel=kernel, score=score, seed=self.seed):
                    told = self.view(*flags, "--dims", "16", "--score", score)
                    found = re.search(r"best h = (\S+), plug-in (\S+), Silverman (\S+)\n", told)
                    self.assertTrue(told.startswith(score + ":"), told)
                    best = self.skde("bandwidth", *flags, "--method", score)["h"]
                    for ours, theirs in zip(found.groups(), (best, plug_in, silverman)):
                        self.assertAlmostEqual(float(ours) / theirs, 1, delta=1e-3)

    def test_figures_are_those_of_skde_compare(self):
        cloud = self.cloud(2000)
        grid = [cloud, "--bounds=-3,-3,-3:3,3,3", "--dims", "24", "--engine", "span", "--bandwidth"]
        for name, h in (("a.nrrd", "0.6"), ("b.nrrd", "0.35")):
            self.run_program(SKDE, "density", *grid, h, "-o", name)
        theirs = self.skde("compare", "a.nrrd", "b.nrrd")
        for compared in ("side", "difference", "ratio"):
            told = self.view(*grid, "0.6", "--compare", "h=0.35", "--compare-as", compared)
            figures = dict(line.split(": ", 1) for line in told.splitlines())
            for ours, key in (("overlap", "overlap"), ("L1", "l1"), ("L2", "l2"), ("Hellinger", "hellinger")):
                with self.subTest(compared=compared, figure=key, seed=self.seed):
                    self.assertAlmostEqual(float(figures[ours].replace(",", "")) / theirs[key], 1, delta=1e-3)

    def test_categories_are_compared(self):
        rows = [(random.gauss(3 * (i % 2), 1), random.gauss(0, 1), random.gauss(0, 1), "ab"[i % 2]) for i in range(600)]
        text = "".join(f"{x},{y},{z},{name}\n" for x, y, z, name in rows)
        (self.folder / "two.csv").write_text("x,y,z,kind\n" + text)
        grid = ["two.csv", "--bounds=-4,-4,-4:7,4,4", "--dims", "24", "--engine", "span", "--bandwidth", "0.8"]
        for name in "ab":
            self.run_program(SKDE, "density", *grid, "--where", f"kind == '{name}'", "-o", f"{name}.nrrd")
        theirs = self.skde("compare", "a.nrrd", "b.nrrd")
        told = self.view(*grid, "--compare", "by=kind:a,b", "--compare-as", "difference")
        self.assertAlmostEqual(float(re.search(r"overlap: (\S+)", told)[1]) / theirs["overlap"], 1, delta=1e-3)

    def test_a_mixture_is_compared_with_the_samples_it_was_fitted_to(self):
        cloud = self.cloud(1500)
        self.run_program(SKDE, "fit", cloud, "-k", "20", "--dims", "24", "--quiet", "-o", "mixture.ply")
        grid = ["--bounds=-4,-4,-4:4,4,4", "--dims", "24", "--kernel", "gaussian"]
        for name, of in (("a.nrrd", "mixture.ply"), ("b.nrrd", cloud)):
            self.run_program(SKDE, "density", of, *grid, "-o", name)
        theirs = self.skde("compare", "a.nrrd", "b.nrrd")
        told = self.view("mixture.ply", *grid, "--compare", cloud)
        self.assertAlmostEqual(float(re.search(r"overlap: (\S+)", told)[1]) / theirs["overlap"], 1, delta=1e-3)

    def test_errors_name_the_flag_that_was_given(self):
        cloud = self.cloud(20)
        for flags in (["--time", "t"], ["--points-color", "t"], ["--points-where", "t > 3"], ["--where", "t > 3"],
                      ["--compare", "where=t > 3"], ["--compare", "h=-1"], ["--compare", "kernel=round"]):
            with self.subTest(flags=flags):
                done = subprocess.run([VIEW, cloud, "--dims", "12", *flags, "--screenshot", "a.png"], capture_output=True,
                                      text=True, cwd=self.folder, env={**os.environ, "LIBGL_ALWAYS_SOFTWARE": "1"})
                self.assertEqual(done.returncode, 2, done.stderr)
                # The first density may have been computed by then, with a warning of its own.
                *warnings, error = done.stderr.splitlines()
                self.assertTrue(error.startswith(f"skde-view: {flags[0]}: "), done.stderr)
                self.assertTrue(all(line.startswith("skde-view: warning: ") for line in warnings), done.stderr)

    def timed(self):
        rows = [(random.gauss(t / 5, 1), random.gauss(0, 1), random.gauss(0, 1), t) for t in range(50)]
        text = "".join(",".join(map(str, row)) + "\n" for row in rows)
        (self.folder / "timed.csv").write_text("x,y,z,t\n" + text)
        return ["timed.csv", "--time", "t", "--time-window", "10", "--dims", "16", "--view", "volume", "--size", "96x65"]

    def test_a_film_over_time_is_the_pictures_of_its_windows(self):
        self.run_program(VIEW, *self.timed(), "--film", "time", "--frames", "3", "film_%02d.png")
        films = [(self.folder / f"film_{k:02}.png").read_bytes() for k in range(3)]
        self.assertEqual(len(set(films)), 3)
        self.run_program(VIEW, *self.timed(), "--covariance", "iso", "--film", "h", "--frames", "2", "--film-range", "1,3",
                         "h_%d.png")
        self.assertNotEqual((self.folder / "h_0.png").read_bytes(), (self.folder / "h_1.png").read_bytes())

    def film_with(self, encoder, *flags):
        """Films with a folder that holds this script as ffmpeg, or nothing, as PATH."""
        tools = self.folder / "tools"
        tools.mkdir(exist_ok=True)
        if encoder:
            (tools / "ffmpeg").write_text("#!/bin/sh\nPATH=/usr/bin:/bin\n" + encoder)
            (tools / "ffmpeg").chmod(0o755)
        environment = {**os.environ, "XDG_STATE_HOME": str(self.folder), "PATH": str(tools), "LIBGL_ALWAYS_SOFTWARE": "1"}
        return subprocess.run([VIEW, *self.timed(), "--film", "turn", "--frames", "3", "--covariance", "iso",
                               "--bandwidth", "3", *flags], capture_output=True,
                              text=True, cwd=self.folder, env=environment)

    def test_a_video_is_made_by_ffmpeg(self):
        take = 'for last; do :; done\ncat > "$last"\necho "$@" > words\n'
        done = self.film_with(take, "turn.mp4", "--fps", "12")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((self.folder / "turn.mp4").stat().st_size, 3 * 96 * 65 * 4)
        words = (self.folder / "words").read_text()
        for part in ("-s 96x65", "-r 12", "rgba", "libx264"):
            self.assertIn(part, words)

    def test_without_ffmpeg_pictures_are_written_and_the_command_is_told(self):
        done = self.film_with("", "turn.webm")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ffmpeg -framerate 25 -i turn_%04d.png", done.stderr)
        self.assertEqual(len(list(self.folder.glob("turn_000[0-2].png"))), 3)
        self.assertFalse((self.folder / "turn.webm").exists())

    def test_a_video_that_fails_leaves_nothing(self):
        for encoder in ("cat > /dev/null; exit 1\n", "exit 1\n"):
            done = self.film_with(encoder, "turn.mp4")
            self.assertEqual(done.returncode, 4)
            self.assertIn("ffmpeg could not write", done.stderr)
            self.assertEqual(list(self.folder.glob("*.mp4")), [])


if __name__ == "__main__":
    unittest.main()
