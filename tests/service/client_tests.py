"""Clients of skde-serve: the programs of docs/tasks/use_service.md, and processes beside the commands of skde."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from service_process import PATIENCE, ServiceTest, grid_points, main

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "documents"))
from markdown_pages import Page  # noqa: E402

EXAMPLES = {block.kind: block.text for block in Page(ROOT, Path("docs/tasks/use_service.md")).blocks
            if "/events" in block.text}
INTERPRETERS = {"sh": ["bash", "-c"], "python": [sys.executable, "-c"]}


def values(content, name):
    """Returns a file after its header, which names the command that wrote it."""
    end = {".nrrd": b"\n\n", ".ply": b"end_header\n", ".vti": b"<AppendedData"}.get(os.path.splitext(name)[1])
    return content.split(end, 1)[1] if end else content


class ClientTest(ServiceTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.skde = re.sub("skde-serve$", "skde", ServiceTest.program)

    def setUp(self):
        self.folder = Path(self.new_folder())

    def run_skde(self, *arguments):
        run = subprocess.run([self.skde, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE,
                             check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout


class ExampleTest(ClientTest):
    """The examples run as they stand, each on a service of its own."""

    def setUp(self):
        super().setUp()
        os.symlink(ROOT / "data", self.folder / "data")
        self.fresh = self.started()

    def start_example(self, kind, change=("", ""), token=None):
        if kind == "sh" and not shutil.which("curl"):
            self.skipTest("there is no curl")
        given = {"URL": f"http://{self.fresh.host}:{self.fresh.port}/", "TOKEN": token or self.fresh.token}
        return subprocess.Popen([*INTERPRETERS[kind], EXAMPLES[kind].replace(*change)], cwd=self.folder, text=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, **given},
                                start_new_session=True,
                                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))

    def end_of(self, example):
        """Returns the exit code and the errors."""
        errors = example.communicate(timeout=PATIENCE)[1]
        return example.returncode, errors

    def run_example(self, *arguments, **more):
        return self.end_of(self.start_example(*arguments, **more))

    def clouds(self):
        return [cloud["id"] for cloud in self.fresh.call("GET", "/clouds").json()["clouds"]]

    def check_nothing_is_left(self):
        self.assertEqual(self.clouds(), [])
        self.assertEqual(self.fresh.call("GET", "/jobs").json()["jobs"], [])

    def check_volume(self, kind):
        self.assertEqual(self.run_example(kind), (0, ""))
        self.run_skde("density", "data/quakes.csv", "--columns", "long,lat,depth", "--dims", "32", "-o", "here.nrrd")
        there, here = (values((self.folder / name).read_bytes(), name) for name in ("volume.nrrd", "here.nrrd"))
        self.assertEqual(there, here)
        self.check_nothing_is_left()

    def test_curl_fetches_the_volume_of_skde(self):
        self.check_volume("sh")

    def test_python_fetches_the_volume_of_skde(self):
        self.check_volume("python")

    def test_a_file_that_is_there_is_not_sent_again(self):
        removal = {"sh": ('remove "clouds/$CLOUD"', "true"), "python": ('remove(f"clouds/{cloud}")', "pass")}
        first = self.fresh.add_cloud((ROOT / "data" / "quakes.csv").read_bytes(), "quakes.csv")
        other = self.fresh.add_cloud(grid_points(20), "quakes.csv")
        there = self.clouds()
        for kind, change in removal.items():
            with self.subTest(kind=kind):
                self.assertIn(change[0], EXAMPLES[kind])
                self.assertEqual(self.run_example(kind, change), (0, ""))
                self.assertEqual(self.clouds(), there)
        self.fresh.call("DELETE", f"/clouds/{first}")
        for kind in EXAMPLES:  # the name is there, but not the bytes
            with self.subTest(kind=kind):
                self.assertEqual(self.run_example(kind), (0, ""))
                self.assertEqual(self.clouds(), [other])

    def test_failures_are_told_and_leave_nothing(self):
        for kind in EXAMPLES:
            with self.subTest(kind=kind):
                code, errors = self.run_example(kind, ("long,lat,depth", "long,lat,deep"))
                self.assertNotEqual(code, 0)
                self.assertIn("there is no column 'deep'", errors)
                self.assertFalse((self.folder / "volume.nrrd").exists())
                self.check_nothing_is_left()
                code, errors = self.run_example(kind, token="x" * 32)
                self.assertNotEqual(code, 0)
                self.assertIn("Token required", errors)

    def test_an_interrupt_leaves_nothing(self):
        for kind, dims in (("sh", '"dims": "32"'), ("python", '"dims": 32')):
            with self.subTest(kind=kind):
                self.assertIn(dims, EXAMPLES[kind])
                example = self.start_example(kind, (dims, '"dims": 384, "engine": "naive"'))
                self.until(lambda: self.fresh.call("GET", "/jobs?status=running").json()["jobs"])
                time.sleep(0.2)  # the client has the number of the job as well
                os.killpg(example.pid, signal.SIGINT)
                self.assertNotEqual(self.end_of(example)[0], 0)
                self.check_nothing_is_left()


class SameResultTest(ClientTest):
    """Processes write and tell what the commands of the same names do."""

    def setUp(self):
        super().setUp()
        (self.folder / "points.csv").write_text(grid_points(400), encoding="ascii")
        self.cloud = {"cloud": self.send("points.csv")}

    def send(self, name):
        return self.service.add_cloud((self.folder / name).read_bytes(), name)

    def there(self, process, output, inputs):
        """Returns an output of a process."""
        answer = self.service.run_now(process, inputs, outputs={output: {}})
        self.assertEqual(answer.status, 200, answer.body)
        return answer.body

    def here(self, name, *arguments):
        """Returns the file that a command writes."""
        self.run_skde(*arguments, "-o", name, "--quiet")
        return (self.folder / name).read_bytes()

    def check_same(self, name, output, resources, flags, command, *files):
        """`files` are the arguments of the command that a service takes as `resources`."""
        with self.subTest(command=command, name=name):
            given = [f"--{flag}" if value is True else f"--{flag}={value}" for flag, value in flags.items()]
            here = self.here(name, command, *files, *given)
            form = {"nii": "nifti"}.get(name.split(".")[-1], name.split(".")[-1])
            there = self.there(command, output, {**resources, **flags, "format": form})
            self.assertEqual(values(there, name), values(here, name))

    def volumes(self):
        """Writes two volumes, and returns the inputs that name them."""
        self.here("one.nrrd", "density", "points.csv", "--dims=16", "--bandwidth=0.4")
        self.here("other.nrrd", "density", "points.csv", "--like=one.nrrd", "--bandwidth=0.6")
        return {"volume": self.send("one.nrrd")}, {"other": self.send("other.nrrd")}

    def test_commands_that_read_clouds(self):
        points, cloud = "points.csv", self.cloud
        both, at = {**cloud, "points": cloud["cloud"]}, ("--at", points)
        flags = {"dims": 20, "bandwidth": 0.4, "adaptive": True, "weights": "w"}
        self.check_same("a.nrrd", "volume", cloud, flags, "density", points)
        self.check_same("b.npy", "volume", {"cloud": [cloud["cloud"]] * 2}, {"dims": 9}, "density", points, points)
        self.check_same("c.vti", "means", cloud, {"value": "w", "dims": 12}, "smooth", points)
        self.check_same("d.csv", "means", both, {"value": "w"}, "smooth", points, *at)
        self.check_same("e.csv", "points", both, {}, "eval", points, *at)
        self.check_same("f.csv", "samples", cloud, {"samples": 50, "seed": 3}, "sample", points)
        self.check_same("g.ply", "mixture", cloud, {"members": 4, "dims": 9, "steps": 20}, "fit", points)

    def test_commands_that_read_volumes(self):
        one, other = self.volumes()
        like = {**self.cloud, "like": one["volume"]}
        self.check_same("a.nrrd", "volume", like, {"bandwidth": 0.5}, "density", "points.csv", "--like", "one.nrrd")
        self.check_same("b.ply", "mesh", one, {"mass": 0.5}, "iso", "one.nrrd")
        self.check_same("c.csv", "planes", one, {"axis": "x", "at": 0.5}, "slice", "one.nrrd")
        self.check_same("d.png", "planes", one, {"sheet": 4}, "slice", "one.nrrd")
        self.check_same("e.npy", "planes", one, {"axis": "y"}, "project", "one.nrrd")
        self.check_same("f.nrrd", "ratio", {**one, **other}, {}, "compare", "one.nrrd", "other.nrrd")
        self.check_same("g.nii", "volume", one, {}, "convert", "one.nrrd")

    def test_generated_clouds(self):
        for name in ("a.npy", "a.ply"):
            with self.subTest(name=name):
                flags = {"samples": 1000, "seed": 7}
                there = self.there("generate", "cloud", {"kind": "forest", "format": name[2:], **flags})
                self.assertEqual(there, self.here(name, "generate", "forest", "--samples=1000", "--seed=7"))
        for kind in ("--output=/tmp/x", "forests"):
            refused = self.service.run_now("generate", {"kind": kind})
            self.assertEqual(self.problem(refused, 400, "usage")["parameter"], "kind")

    def test_parts_and_moments(self):
        parts = ["1.skp", "2.skp"]
        for part in parts:
            self.here(part, "density", "points.csv", f"--part={part[0]}/2", "--bounds=-2,-2,-2:2,2,2",
                      "--bandwidth=0.5,0.5,0.5", "--dims=16")
        sent = {"parts": [self.send(part) for part in parts]}
        for name in ("a.npy", "a.skp"):
            self.check_same(name, "merged", sent, {}, "merge", *parts)
        known = json.loads(self.here("all.json", "moments", "points.csv"))
        self.assertEqual(json.loads(self.there("moments", "summary", self.cloud)), known)
        for part in ("1.json", "2.json"):
            self.here(part, "moments", "points.csv", f"--part={part[0]}/2")
        sent = {"parts": [self.send("1.json"), self.send("2.json")], "format": "json"}
        self.assertEqual(json.loads(self.there("merge", "merged", sent))["sums"], known["sums"])

    def test_files_beside_the_output(self):
        picture = self.there("density", "picture", {**self.cloud, "dims": 16})
        self.assertTrue(picture.startswith(b"\x89PNG"))
        self.assertIn(b"<svg", self.there("bandwidth", "drawing", self.cloud))
        self.run_skde("bandwidth", "points.csv", "--curve", "curve.csv", "--quiet")
        self.assertEqual(self.there("bandwidth", "curve", self.cloud), (self.folder / "curve.csv").read_bytes())

    def test_summaries(self):
        one, other = self.volumes()
        for resources, *arguments in ((one, "levels", "one.nrrd"), (self.cloud, "info", "points.csv"),
                                      ({**one, **other}, "compare", "one.nrrd", "other.nrrd"),
                                      ({}, "engines"), ({}, "formats")):
            with self.subTest(arguments=arguments):
                here = json.loads(self.run_skde(*arguments, "--json"))
                there = json.loads(self.there(arguments[0], "summary", resources))
                for told in (here, there):
                    told.pop("seconds", None), told.pop("inputs", None)
                self.assertEqual(there, here)

    def test_reports(self):
        one, other = self.volumes()
        own = ("  took ", "  time ", "  engine ", "  not ", "  grid ")  # times and rates differ between runs
        for resources, *arguments in ((one, "levels", "one.nrrd"), (self.cloud, "info", "points.csv"),
                                      (self.cloud, "bandwidth", "points.csv"), (self.cloud, "moments", "points.csv"),
                                      ({**one, **other}, "compare", "one.nrrd", "other.nrrd"), ({}, "formats")):
            with self.subTest(arguments=arguments):
                here, there = self.run_skde(*arguments), json.loads(self.there(arguments[0], "report", resources))
                shown = [[line for line in text.splitlines() if not line.startswith(own)] for text in (here, there)]
                self.assertEqual(*shown)
                self.assertTrue(shown[0])


if __name__ == "__main__":
    main()
