"""Starts a service for a test, and sends requests to it."""

import base64
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

PATIENCE = 120  # seconds; limit for any step on a loaded machine
JSON = {"Content-Type": "application/json"}
HEAD = "{} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer TOKEN\r\n"  # of a request on a bare connection
ALICE, BOB = "a" * 32, "b" * 32  # tokens


def until(condition, what="it lasts too long", pause=0.02):
    """Waits for a true value of the condition, and returns it."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        if time.monotonic() > end:
            raise AssertionError(what)
        time.sleep(pause)
    return found


def read_all(end):
    """Returns what a socket receives to its end."""
    pieces = []
    while piece := end.recv(1 << 16):
        pieces.append(piece)
    return b"".join(pieces)


def write_file(path, content, mode=0o600):
    """Makes or replaces a file, and returns its path."""
    with open(path, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
        file.write(content.encode() if isinstance(content, str) else content)
    return path


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    def json(self):
        return json.loads(self.body)


class Service:
    """Runs skde-serve on a free port of the loopback; a given `folder` is kept at the end."""

    def __init__(self, program, *flags, folder=None, environment=None, before=None):
        self.program, self.flags, self.before = program, flags, before
        self.own_folder = folder is None
        self.folder = folder or tempfile.mkdtemp(prefix="skde-service-")
        self.environment = {**os.environ, **(environment or {})}
        self.large = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "--data", self.folder, "--listen", "127.0.0.1:0", *self.flags],
            stdout=subprocess.PIPE, text=True, env=self.environment, preexec_fn=self.before)
        self.line = self.process.stdout.readline()
        found = re.match(r"skde-serve http://([\d.]+):(\d+)/ token(?:s of)? (\S+)", self.line)
        if not found:
            raise AssertionError(f"no address in '{self.line}'")
        self.host, self.port, self.token = found[1], int(found[2]), found[3]
        until(lambda: self.call("GET", "/health/ready").status == 200, "not ready", 0.01)

    def again(self, end=None):
        """Kills it, or ends it otherwise, and starts it with the same folder."""
        (end or self.kill)()
        self.start()

    def dial(self, text=b"", room=None):
        """Returns a socket that has sent this text, with the token for TOKEN; `room`: bytes that it takes in."""
        end = socket.socket()
        if room:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        end.settimeout(PATIENCE)
        end.connect((self.host, self.port))
        end.sendall((text.encode() if isinstance(text, str) else text).replace(b"TOKEN", self.token.encode()))
        return end

    def connect(self):
        return http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)

    def call(self, method, path, body=None, headers=None, token=None, connection=None):
        own = connection or self.connect()
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
        given = {"Authorization": "Bearer " + (self.token if token is None else token), **(headers or {})}
        own.request(method, path, body, {name: value for name, value in given.items() if value is not None})
        answer = Answer(own.getresponse())
        if connection is None:
            own.close()
        return answer

    def add_cloud(self, data, name="points.csv"):
        if isinstance(data, str):
            data = data.encode()
        answer = self.call("POST", f"/clouds?name={name}", data)
        if answer.status != 201:
            raise AssertionError(f"{answer.status} {answer.body}")
        return answer.json()["id"]

    def run_now(self, process, inputs, prefer=None, token=None, **more):
        return self.call("POST", f"/processes/{process}/execution", {"inputs": inputs, **more}, {"Prefer": prefer}, token)

    def ask_later(self, process, inputs, token=None, **more):
        return self.run_now(process, inputs, "respond-async", token, **more)

    def wait_for_predictions(self):
        """Waits until a worker has started and refuses what can never be."""
        until(lambda: self.ask_later("generate", {"kind": "uniform", "samples": "1e12"}).status == 413, "no predictions", 0.1)

    def run_later(self, process, inputs, **more):
        answer = self.ask_later(process, inputs, **more)
        if answer.status != 201:
            raise AssertionError(f"{answer.status} {answer.body}")
        return answer.json()["jobID"]

    def wait_for(self, job, *states):
        """Waits until the job has one of these states, by default a final one, and returns its status."""
        final = ("successful", "failed", "dismissed")

        def end():
            status = self.status(job)
            return status if status["status"] in (*states, *final) else None
        status = until(end, f"job {job} goes on", 0.01)
        if status["status"] not in (states or final):
            raise AssertionError(f"job is {status}")
        return status

    def status(self, job):
        return self.call("GET", f"/jobs/{job}").json()

    def finish(self, process, inputs, **more):
        """Runs a job to its end, and returns its ID."""
        job = self.run_later(process, inputs, **more)
        self.wait_for(job)
        return job

    def occupy(self, dims=256, **more):
        """Begins a job that takes minutes, every sample at every cell, and returns its ID."""
        if self.large is None:
            self.large = self.add_cloud(grid_points(20000), "large.csv")
        job = self.run_later("density", {"cloud": self.large, "dims": dims, "engine": "naive", **more})
        self.wait_for(job, "running")
        return job

    def result(self, job, output="volume"):
        return self.call("GET", f"/jobs/{job}/results/{output}")

    def content(self, cloud):
        return self.call("GET", f"/clouds/{cloud}/content").body

    def metric(self, name):
        text = self.call("GET", "/metrics").body.decode()
        return float(re.search("^" + re.escape(name) + " (.*)$", text, re.MULTILINE)[1])

    def register(self, path, **more):
        """Asks for a cloud from a file of the server."""
        return self.call("POST", "/clouds", {"path": path}, JSON, **more)

    def events(self, job, last=None):
        """Returns the (id, event, data) of a job, to the end of the stream."""
        connection = self.connect()
        headers = {"Authorization": "Bearer " + self.token}
        if last is not None:
            headers["Last-Event-ID"] = str(last)
        connection.request("GET", f"/jobs/{job}/events", headers=headers)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        found = []
        for block in text.split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line and line[0] != ":")
            if "data" in fields:
                found.append((int(fields["id"]), fields["event"], json.loads(fields["data"])))
        return response.status, found

    def workers(self, role="cpu"):
        """Returns the process IDs of the workers with this role."""
        found = []
        try:
            with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as file:
                for word in file.read().split():
                    with open(f"/proc/{word}/cmdline", encoding="ascii") as line:
                        if line.read().split("\0")[1:3] == ["--worker", role]:
                            found.append(int(word))
        except OSError:  # a worker has just ended
            pass
        return found

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE)
        self.process.stdout.close()

    def end(self):
        """Sends SIGTERM and returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        return code

    def close(self):
        if self.process.poll() is None:
            self.end()
        if self.own_folder:
            shutil.rmtree(self.folder, ignore_errors=True)


def make_disk_slow(test, service, microseconds):
    """Delays each fsync of the service from now on; skips the test if that is not possible."""
    if not shutil.which("strace"):
        test.skipTest("SKIPPED: there is no strace")
    slow = subprocess.Popen(["strace", "-f", "-qq", "-e", "trace=fsync", "-e", f"inject=fsync:delay_enter={microseconds}",
                             "-o", os.devnull, "-p", str(service.process.pid)])
    test.addCleanup(lambda: [slow.kill(), slow.wait()])
    time.sleep(1)
    if slow.poll() is not None:
        test.skipTest("SKIPPED: nobody may be traced here")


TUS = {"Tus-Resumable": "1.0.0"}
PIECE = {**TUS, "Content-Type": "application/offset+octet-stream"}


class Pieces:
    """An upload by tus."""

    def __init__(self, service, length, name="pieces.csv"):
        self.service = service
        name = base64.b64encode(name.encode()).decode()
        answer = service.call("POST", "/uploads", headers={
            **TUS, "Upload-Length": str(length), "Upload-Metadata": f"filename {name}"})
        if answer.status != 201:
            raise AssertionError(f"{answer.status} {answer.body}")
        self.place = answer.headers["location"]
        self.id = self.place.split("/")[-1]

    def send(self, data, offset):
        return self.service.call("PATCH", self.place, data, {**PIECE, "Upload-Offset": str(offset)}).status

    def offset(self):
        """Returns the number of bytes that need not be sent again, or None if it is not an upload."""
        answer = self.service.call("HEAD", self.place, headers=TUS)
        return int(answer.headers["upload-offset"]) if answer.status == 200 else None


def grid_points(count, spread=1.0, seed=1):
    """Returns a cloud as CSV, the same on every machine."""
    lines, state = ["x,y,z,w"], seed
    for _ in range(count):
        numbers = []
        for _ in range(3):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            numbers.append((state >> 11) / 2**53 * spread)
        lines.append(",".join(f"{number:.9g}" for number in numbers) + ",1")
    return "\n".join(lines) + "\n"


class OwnServices(unittest.TestCase):
    """Tests that start services of their own."""

    def started(self, *flags, **more):
        service = Service(ServiceTest.program, *flags, **more)
        self.addCleanup(service.close)
        return service

    def refused(self, *flags, program=None):
        """Runs a service that ends at once; returns its exit code and its errors."""
        run = subprocess.run([program or ServiceTest.program, *flags], capture_output=True, text=True, timeout=PATIENCE,
                             check=False)
        self.assertEqual(run.stdout, "")
        return run.returncode, run.stderr

    def new_folder(self):
        folder = tempfile.mkdtemp(prefix="skde-test-")
        self.addCleanup(shutil.rmtree, folder)
        return folder

    def token_file(self, *lines):
        return write_file(self.new_folder() + "/tokens", "\n".join(lines) + "\n")

    def until(self, *more):
        return until(*more)

    def problem(self, answer, status, kind):
        self.assertEqual(answer.status, status, answer.body)
        self.assertEqual(answer.headers["content-type"], "application/problem+json")
        json_problem = answer.json()
        self.assertEqual((json_problem["status"], json_problem["kind"]), (status, kind))
        self.assertTrue(json_problem["title"] and json_problem["detail"])
        return json_problem


class ServiceTest(OwnServices):
    """Tests that share a service, which is started once per class."""

    flags = ()

    @classmethod
    def setUpClass(cls):
        cls.service = Service(ServiceTest.program, *cls.flags)

    @classmethod
    def tearDownClass(cls):
        cls.service.close()

    @classmethod
    def class_folder(cls):
        folder = tempfile.mkdtemp(prefix="skde-test-")
        cls.addClassCleanup(shutil.rmtree, folder)
        return folder


def main():
    """python3 NAME_tests.py PROGRAM [arguments of unittest]"""
    ServiceTest.program = sys.argv.pop(1)
    unittest.main(module="__main__", verbosity=2)
