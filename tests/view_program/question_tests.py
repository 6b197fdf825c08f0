"""What skde-view answers about a density, against skde: scores of bandwidths.

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


if __name__ == "__main__":
    unittest.main()
