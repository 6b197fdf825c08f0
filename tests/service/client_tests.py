"""Clients of skde-serve: skde --server, and the Python examples of its documents."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

from service_process import PATIENCE, ServiceTest, grid_points, main


class ClientTest(ServiceTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.skde = re.sub("skde-serve$", "skde", ServiceTest.program)
        cls.folder = tempfile.mkdtemp()
        cls.points = os.path.join(cls.folder, "points.csv")
        with open(cls.points, "w", encoding="ascii") as file:
            file.write(grid_points(400))
        cls.url = f"http://{cls.service.host}:{cls.service.port}/"

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        shutil.rmtree(cls.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_skde(self, *arguments, code=0, token=None):
        run = subprocess.run([self.skde, *arguments], capture_output=True, text=True, timeout=PATIENCE, check=False,
                             env={**os.environ, "SKDE_SERVER_TOKEN": token or self.service.token})
        self.assertEqual(run.returncode, code, run.stderr)
        return run

    def bytes(self, path):
        with open(path, "rb") as file:
            return file.read()

    def values(self, path):
        """Returns the contents of a file after its header, which names the command that wrote it."""
        ends = {".nrrd": b"\n\n", ".ply": b"end_header\n", ".vti": b"<AppendedData"}
        end = ends.get(os.path.splitext(path)[1])
        return self.bytes(path).split(end, 1)[1] if end else self.bytes(path)

    def test_a_density_is_the_same_there_and_here(self):
        flags = ("--dims", "20", "--bandwidth=0.4", "--adaptive", "--weights", "w")
        there = self.run_skde("density", self.points, *flags, "-o", self.path("a.nrrd"), "--json",
                              "--server", self.url)
        self.run_skde("density", self.points, *flags, "-o", self.path("b.nrrd"), "--quiet")
        self.assertEqual(self.values(self.path("a.nrrd")), self.values(self.path("b.nrrd")))
        summary = json.loads(there.stdout)
        self.assertEqual((summary["kind"], summary["inputs"]), ("density", [self.points]))
        self.assertEqual(summary["written"][0]["path"], self.path("a.nrrd"))
        self.run_skde("density", self.points, "--dims", "8", "-o", self.path("c.npy"), "--server=" + self.url)
        self.assertTrue(os.path.exists(self.path("c.npy.json")))

    def test_eval_and_bandwidth(self):
        self.run_skde("eval", self.points, "--at", self.points, "-o", self.path("at.csv"), "--server", self.url)
        with open(self.path("at.csv"), encoding="ascii") as file:
            self.assertEqual(len(file.readlines()), 401)
        run = self.run_skde("bandwidth", self.points, "--method", "scott", "--json", "--server", self.url)
        self.assertEqual(json.loads(run.stdout)["method"], "scott")

    def test_every_command_for_files_is_the_same_there_and_here(self):
        volume = self.path("all.vti")
        self.run_skde("density", self.points, "--dims", "16", "--bandwidth", "0.4", "-o", volume, "--quiet")
        other = self.path("other.nrrd")
        self.run_skde("density", self.points, "--like", volume, "--bandwidth", "0.6", "-o", other, "--quiet")
        for end, *arguments in (
                (".vti", "smooth", self.points, "--value", "w", "--dims", "12"),
                (".csv", "smooth", self.points, "--value", "w", "--at", self.points),
                (".csv", "sample", self.points, "--samples", "50", "--seed", "3"),
                (".ply", "fit", self.points, "-k", "4", "--dims", "9", "--steps", "20"),
                (".ply", "iso", volume, "--mass", "0.5"),
                (".csv", "slice", volume, "--axis", "x", "--at", "0.5"),
                (".npy", "project", volume, "--axis", "y"),
                (".png", "slice", volume, "--sheet", "4"),
                (".nrrd", "compare", volume, other),
                (".nii", "convert", other),
                (".nrrd", "density", self.points, "--like", volume, "--bandwidth", "0.5"),
                (".nrrd", "density", self.points, self.points, "--dims", "9")):
            with self.subTest(arguments=arguments):
                here, there = self.path("here" + end), self.path("there" + end)
                self.run_skde(*arguments, "-o", here, "--quiet")
                self.run_skde(*arguments, "-o", there, "--server", self.url)
                self.assertEqual(self.values(there), self.values(here))
                self.assertEqual(os.path.exists(there + ".json"), end == ".npy")

    def test_summaries_are_the_same_there_and_here(self):
        volume = self.path("summed.nrrd")
        self.run_skde("density", self.points, "--dims", "16", "-o", volume, "--quiet")
        for arguments in (("levels", volume), ("info", self.points), ("compare", volume, volume)):
            with self.subTest(arguments=arguments):
                here = json.loads(self.run_skde(*arguments, "--json").stdout)
                there = json.loads(self.run_skde(*arguments, "--json", "--server", self.url).stdout)
                here.pop("seconds", None), there.pop("seconds", None)
                self.assertEqual(set(there), set(here))
                numbers = [name for name in here if isinstance(here[name], (int, float, list)) and name != "inputs"]
                self.assertTrue(numbers)
                for name in numbers:
                    self.assertEqual(there[name], here[name], name)
        engines = json.loads(self.run_skde("engines", "--json", "--server", self.url).stdout)
        self.assertEqual(engines["engines"], json.loads(self.run_skde("engines", "--json").stdout)["engines"])
        asked = json.loads(self.run_skde("engines", "--for", self.points, "--dims", "20", "--json", "--server", self.url).stdout)
        self.assertEqual(asked["grid"]["dims"], [20, 20, 20])
        self.assertTrue(any(offer["chosen"] for offer in asked["offers"]))
        self.assertIn("Stanford polygon file", self.run_skde("formats", "--server", self.url).stdout)

    def test_people_are_told_the_same_there_and_here(self):
        volume, end = self.path("told.nrrd"), ("--server", self.url)
        self.run_skde("density", self.points, "--dims", "16", "-o", volume, "--quiet")
        # Times and rates differ between runs; files of the service name other commands in their headers.
        own = ("  took ", "  time ", "  engine ", "  not ", "  grid ")
        for arguments in (("density", self.points, "--dims", "16", "-o", self.path("told.vti")),
                          ("density", self.points, "--dims", "16", "-o", self.path("told.npy")),
                          ("eval", self.points, "-o", self.path("told.csv")), ("levels", volume), ("info", self.points),
                          ("bandwidth", self.points, "--curve", self.path("told_curve.csv")), ("compare", volume, volume),
                          ("iso", volume, "--mass", "0.5", "-o", self.path("told.ply")), ("moments", self.points),
                          ("project", volume, "--axis", "x", "-o", self.path("told.png")), ("formats",),
                          ("sample", self.points, "--samples", "9", "-o", self.path("told_samples.csv")),
                          ("generate", "forest", "--samples", "9", "-o", self.path("told_forest.csv")),
                          ("convert", volume, "-o", self.path("told.nii"))):
            with self.subTest(arguments=arguments):
                there, here = (re.sub(r"\([\d.]+ \w+\)", "(SIZE)", self.run_skde(*arguments, *more).stdout)
                               for more in (end, ()))
                shown = [[line for line in text.splitlines() if not line.startswith(own)] for text in (there, here)]
                self.assertEqual(*shown)
                self.assertTrue(shown[0])
        self.assertEqual(self.run_skde("levels", volume, "--quiet", *end).stdout, "")
        self.assertIn("silverman", self.run_skde("info", self.points, "--quiet", *end).stdout)
        self.assertEqual(self.run_skde("moments", self.points, "-o", self.path("told.json"), *end).stdout, "")

    def test_a_generated_cloud_is_the_same_there_and_here(self):
        flags = ("generate", "forest", "--samples", "1000", "--seed", "7", "--quiet")
        for name in ("cloud.npy", "cloud.ply"):
            self.run_skde(*flags, "-o", self.path("there_" + name), "--server", self.url)
            self.run_skde(*flags, "-o", self.path("here_" + name))
            self.assertEqual(self.bytes(self.path("there_" + name)), self.bytes(self.path("here_" + name)))
        for kind in ("--output=/tmp/x", "forests"):
            refused = self.service.run_now("generate", {"kind": kind})
            self.assertEqual(self.problem(refused, 400, "usage")["parameter"], "kind")

    def test_moments_and_merging_are_the_same_there_and_here(self):
        server = ("--quiet", "--server", self.url)
        self.run_skde("moments", self.points, "-o", self.path("there.json"), *server)
        self.run_skde("moments", self.points, "-o", self.path("here.json"), "--quiet")
        with open(self.path("there.json"), encoding="utf-8") as there, open(self.path("here.json"), encoding="utf-8") as here:
            told, known = json.load(there), json.load(here)
        (sent,), (named,) = told.pop("pieces"), known.pop("pieces")
        self.assertEqual([os.path.basename(name) for name in named["inputs"]], sent["inputs"])
        self.assertEqual(told, known)
        parts, moments = [], []
        for part in ("1/2", "2/2"):
            parts.append(self.path(f"part{part[0]}.skp"))
            self.run_skde("density", self.points, "--part", part, "--bounds=-2,-2,-2:2,2,2", "--bandwidth=0.5,0.5,0.5",
                          "--dims", "16", "-o", parts[-1], "--quiet")
            moments.append(self.path(f"part{part[0]}.json"))
            self.run_skde("moments", self.points, "--part", part, "-o", moments[-1], "--quiet")
        for name in ("merged.npy", "merged.skp"):
            self.run_skde("merge", *parts, "-o", self.path("there_" + name), *server)
            self.run_skde("merge", *parts, "-o", self.path("here_" + name), "--quiet")
            self.assertEqual(self.bytes(self.path("there_" + name)), self.bytes(self.path("here_" + name)))
        self.run_skde("merge", *moments, "-o", self.path("all.json"), *server)
        with open(self.path("all.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["sums"], known["sums"])

    def test_files_beside_the_output(self):
        self.run_skde("density", self.points, "--dims", "16", "-o", self.path("seen.nrrd"), "--picture",
                      self.path("seen.png"), "--server", self.url)
        self.assertTrue(self.bytes(self.path("seen.png")).startswith(b"\x89PNG"))
        self.run_skde("bandwidth", self.points, "--curve", self.path("curve.csv"), "--picture", self.path("curve.svg"),
                      "--server", self.url)
        self.assertIn(b"<svg", self.bytes(self.path("curve.svg")))
        self.assertGreater(len(self.bytes(self.path("curve.csv")).splitlines()), 5)
        self.run_skde("bandwidth", self.points, "--picture", self.path("curve.jpg"), "--server", self.url, code=2)

    def test_the_flag_is_on_the_help_page(self):
        for command in ("density", "eval", "smooth", "fit", "bandwidth", "sample", "info", "levels", "iso", "slice",
                        "project", "compare", "convert", "engines", "formats"):
            self.assertIn("--server URL", self.run_skde(command, "--help", "all").stdout)

    def test_errors_are_those_of_the_command(self):
        run = self.run_skde("density", self.points, "--columns", "a,b,c", "-o", self.path("x.nrrd"),
                            "--server", self.url, code=2)
        self.assertIn("points.csv: there is no column 'a'", run.stderr)
        self.assertEqual(len(run.stderr.strip().splitlines()), 1)
        self.assertFalse(os.path.exists(self.path("x.nrrd")))
        self.run_skde("density", self.points, "-o", self.path("x.nrrd"), "--server", self.url, code=5, token="x" * 32)
        self.run_skde("density", self.points, "-o", self.path("x.nrrd"), "--server", "https://example.org/", code=2)
        self.run_skde("generate", "-o", self.path("x.csv"), "--server", self.url, code=2)
        self.run_skde("iso", self.points, "-o", self.path("x.ply"), "--mass", "0.5", "--server", self.url, code=3)
        self.run_skde("compare", self.points, "--server", self.url, code=2)
        self.run_skde("density", "nothing.csv", "-o", self.path("x.nrrd"), "--server", self.url, code=3)

    def test_an_interrupt_stops_the_job_there(self):
        large = self.path("large.csv")
        with open(large, "w", encoding="ascii") as file:
            file.write(grid_points(20000))
        client = subprocess.Popen(
            [self.skde, "density", large, "--engine", "naive", "--dims", "256", "-o", self.path("y.nrrd"),
             "--server", f"{self.url}#token={self.service.token}"], stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + PATIENCE
        while not self.service.call("GET", "/jobs?status=running").json()["jobs"]:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        client.send_signal(signal.SIGINT)
        self.assertEqual(client.wait(PATIENCE), 130)
        client.stderr.close()
        while self.service.call("GET", "/jobs?status=running").json()["jobs"]:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def test_an_answer_that_breaks_off_leaves_no_file(self):
        """A relay in front of the service drops the end of the volume."""
        host, port = self.url.split("/")[2].split(":")

        def relay(client):
            with client, socket.create_connection((host, int(port))) as service:
                asked = client.recv(1 << 16)
                service.sendall(asked)
                threading.Thread(target=copy, args=(client, service), daemon=True).start()
                copy(service, client, 500 if b"/results/volume" in asked else None)

        def copy(source, to, most=None):
            with contextlib.suppress(OSError):
                while most is None or most > 0:
                    piece = source.recv(min(most or 1 << 16, 1 << 16))
                    if not piece:
                        break
                    to.sendall(piece)
                    most = None if most is None else most - len(piece)
                to.shutdown(socket.SHUT_RDWR)

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    threading.Thread(target=relay, args=(listener.accept()[0],), daemon=True).start()

        with socket.create_server(("127.0.0.1", 0)) as listener:
            threading.Thread(target=serve, daemon=True).start()
            run = self.run_skde("density", self.points, "--dims", "20", "-o", self.path("cut.nrrd"),
                                "--server", f"http://127.0.0.1:{listener.getsockname()[1]}/", code=3)
        self.assertIn("broke the connection", run.stderr)
        self.assertFalse(os.path.exists(self.path("cut.nrrd")))

    def test_two_lines_of_python(self):
        try:
            import requests
        except ImportError:
            self.skipTest("there is no requests")
        url, token = self.url[:-1], {"Authorization": "Bearer " + self.service.token}
        with open(self.points, "rb") as file:
            cloud = requests.post(url + "/clouds?name=a.csv", headers=token, data=file, timeout=PATIENCE).json()["id"]
        volume = requests.post(url + "/processes/density/execution", headers=token, timeout=PATIENCE,
                               json={"inputs": {"cloud": cloud, "dims": 8}, "outputs": {"volume": {}}}).content
        self.assertTrue(volume.startswith(b"NRRD"))


if __name__ == "__main__":
    main()
