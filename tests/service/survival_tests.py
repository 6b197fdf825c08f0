"""skde-serve after crashes of the service, of a worker, or of both at random moments."""

import ctypes
import http.client
import json
import os
import random
import signal
import socket
import threading
import time
import types
import unittest

from service_process import PATIENCE, Pieces, Service, ServiceTest, grid_points, main

LARGE = 20000


class SurvivalTest(unittest.TestCase):
    def setUp(self):
        # A signal must end a worker under the sanitizers as it does without them.
        signals = os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0"
        self.service = Service(ServiceTest.program, environment={"ASAN_OPTIONS": signals})
        self.service.wait_ready()
        self.addCleanup(self.service.close)
        self.cloud = self.service.add_cloud(grid_points(300))

    def restart(self):
        self.service.kill()
        begin = time.monotonic()
        self.service.start()
        self.service.wait_ready()
        return time.monotonic() - begin

    def long_job(self, bandwidth):
        large = self.service.add_cloud(grid_points(LARGE), "large.csv")
        return self.service.run_later("density", {"cloud": large, "dims": 256, "engine": "naive",
                                                  "bandwidth": bandwidth})

    def test_jobs_outlive_the_service(self):
        done = self.service.run_later("density", {"cloud": self.cloud, "dims": 16})
        self.service.wait_for(done)
        volume = self.service.call("GET", f"/jobs/{done}/results/volume").body
        running = self.long_job(0.2)
        self.service.wait_for(running, "running")
        waiting = [self.service.run_later("density", {"cloud": self.cloud, "dims": 16, "bandwidth": 0.1 + i / 100})
                   for i in range(5)]
        self.restart()
        self.assertEqual(self.service.call("GET", f"/jobs/{done}/results/volume").body, volume)
        status = self.service.wait_for(running, "running", "accepted")
        self.service.wait_for(running, "running")
        self.service.call("DELETE", f"/jobs/{running}")
        for job in waiting:
            self.assertEqual(self.service.wait_for(job)["status"], "successful")
        self.assertIn(status["status"], ("running", "accepted"))

    def test_the_fourth_start_of_a_job_that_ends_the_service_is_its_failure(self):
        job = self.long_job(0.3)
        for attempt in (1, 2, 3):
            self.service.wait_for(job, "running")
            self.assertEqual(self.service.call("GET", f"/jobs/{job}").json()["attempts"], attempt)
            self.until_table_has(job, attempt)
            self.restart()
        status = self.service.wait_for(job)
        self.assertEqual((status["status"], status["exception"]["kind"]), ("failed", "crash"))

    def until_table_has(self, job, attempts):
        import sqlite3
        end = time.monotonic() + PATIENCE
        while True:
            with sqlite3.connect(f"file:{self.service.folder}/service.sqlite?mode=ro", uri=True) as table:
                rows = table.execute("SELECT attempts FROM jobs WHERE id = ?", (job,)).fetchall()
            if rows == [(attempts,)]:
                return
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def test_a_worker_that_crashes_costs_one_job_and_not_the_service(self):
        job = self.long_job(0.25)
        for attempt in (1, 2, 3):
            end = time.monotonic() + PATIENCE
            while True:
                status = self.service.call("GET", f"/jobs/{job}").json()
                if status["status"] == "running" and status["attempts"] == attempt and status["stage"]:
                    break
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)
            os.kill(self.service.workers()[0], signal.SIGSEGV)
        status = self.service.wait_for(job)
        self.assertEqual(status["status"], "failed")
        self.assertEqual(status["exception"]["kind"], "crash")
        self.assertIn("signal 11", status["exception"]["detail"])
        answer = self.service.run_now("density", {"cloud": self.cloud, "dims": 8})
        self.assertEqual(answer.status, 200)

    def until(self, answers, what):
        end = time.monotonic() + PATIENCE
        while not answers():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.02)

    def test_a_worker_and_a_planner_that_stand_still_are_replaced(self):
        stopped = self.service.workers() + self.service.workers("planner")
        for worker in stopped:
            os.kill(worker, signal.SIGSTOP)
        self.addCleanup(lambda: [os.kill(worker, signal.SIGKILL) for worker in stopped
                                 if os.path.exists(f"/proc/{worker}")])
        job = self.service.run_later("density", {"cloud": self.cloud, "dims": 16})
        self.until(lambda: self.service.call("GET", "/health/ready").status == 503, "a stuck worker is not told of")
        status = self.service.wait_for(job)
        self.assertEqual((status["status"], status["attempts"]), ("successful", 2))
        self.until(lambda: self.service.call("GET", "/health/ready").status == 200, "not ready again")
        self.until(lambda: self.service.workers("planner") not in ([], stopped[1:]), "the planner is still the same")
        for worker in stopped:
            self.assertFalse(os.path.exists(f"/proc/{worker}"))

    def say(self, worker, line):
        """Sends a line in the worker's name, over a copy of its socket."""
        pidfd_getfd = 438
        copy = ctypes.CDLL(None, use_errno=True).syscall(pidfd_getfd, os.pidfd_open(worker), 3, 0)
        if copy < 0:
            self.skipTest("SKIPPED: this machine lets nobody at the sockets of other processes")
        os.write(copy, line + b"\n")
        os.close(copy)

    def test_a_line_that_is_no_message_ends_the_run(self):
        job = self.long_job(0.27)
        for attempt, line in ((1, b"{nonsense"), (2, b"7"), (3, b'{"run": 1, "stage": 7}')):
            self.until(lambda: (status := self.service.call("GET", f"/jobs/{job}").json())["attempts"] == attempt
                       and status["stage"], "no attempt")
            self.say(self.service.workers()[0], line)
        status = self.service.wait_for(job)
        self.assertEqual((status["status"], status["exception"]["kind"]), ("failed", "crash"))
        self.assertIn("an invalid message", status["exception"]["detail"])
        self.assertEqual(self.service.run_now("density", {"cloud": self.cloud, "dims": 8}).status, 200)

    def test_a_stop_leaves_what_is_in_work_to_the_next_service(self):
        self.service.flags = ("--drain", "1")
        self.restart()
        job = self.long_job(0.35)
        self.service.wait_for(job, "running")
        self.assertEqual(self.service.end(), 0)
        self.service.start()
        self.service.wait_ready()
        self.service.wait_for(job, "running")
        self.service.call("DELETE", f"/jobs/{job}")

    def test_a_stop_waits_for_downloads_uploads_and_streams(self):
        self.service.flags = ("--drain", str(PATIENCE))  # under sanitizers the job takes longer than the default
        self.restart()
        data = os.urandom(30 << 20)
        cloud = self.service.add_cloud(data, "x.bin")
        job = self.service.run_later("density", {"cloud": self.service.add_cloud(grid_points(120), "l.csv"),
                                                 "dims": 140, "engine": "naive"})
        self.service.wait_for(job, "running")
        authorized = f"Host: a\r\nAuthorization: Bearer {self.service.token}\r\n"
        text = grid_points(1000).encode()

        def connect(head):
            end = socket.socket()
            end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
            end.connect((self.service.host, self.service.port))
            end.settimeout(PATIENCE)
            end.sendall((head + authorized).encode())
            self.addCleanup(end.close)
            return end

        def read_all(end):
            pieces = []
            while piece := end.recv(1 << 16):
                pieces.append(piece)
            return b"".join(pieces)
        download = connect(f"GET /clouds/{cloud}/content HTTP/1.1\r\n")
        download.sendall(b"\r\n")
        upload = connect("POST /clouds?name=late.csv HTTP/1.1\r\n")
        upload.sendall(f"Content-Length: {len(text)}\r\n\r\n".encode() + text[:100])
        stream = connect(f"GET /jobs/{job}/events HTTP/1.1\r\n")
        stream.sendall(b"\r\n")
        idle = connect("GET /health/live HTTP/1.1\r\n")
        idle.sendall(b"\r\n")
        begun = download.recv(1 << 16)
        idle.recv(1 << 16)
        self.service.process.send_signal(signal.SIGTERM)
        self.assertEqual(read_all(idle), b"")
        time.sleep(0.2)
        upload.sendall(text[100:])
        self.assertTrue(read_all(upload).startswith(b"HTTP/1.1 201"))
        self.assertEqual((begun + read_all(download)).split(b"\r\n\r\n", 1)[1], data)
        self.assertIn(b'"status":"successful"', read_all(stream).split(b"\n\n")[-2])
        self.assertEqual(self.service.process.wait(PATIENCE), 0)
        self.service.process.stdout.close()
        self.service.start()
        self.assertIn("late.csv", [c["name"] for c in self.service.call("GET", "/clouds").json()["clouds"]])

    def test_a_client_that_has_gone_frees_the_worker(self):
        large = self.service.add_cloud(grid_points(LARGE), "large.csv")
        body = json.dumps({"inputs": {"cloud": large, "dims": 400, "engine": "naive"}}).encode()
        for extra in (b"", b"GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n"):
            end = socket.create_connection((self.service.host, self.service.port))
            end.sendall(f"POST /processes/density/execution HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "
                        f"{self.service.token}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body + extra)
            running = lambda: b"\nskde_runs_running 1\n" in self.service.call("GET", "/metrics").body
            self.until(running, "the run does not begin")
            end.close()
            self.until(lambda: not running(), "the run goes on though nobody waits for it")
        self.assertEqual(self.service.call("GET", f"/clouds/{self.cloud}").status, 200)

    def test_one_service_a_folder(self):
        import subprocess
        run = subprocess.run([ServiceTest.program, "--data", self.service.folder, "--listen", "127.0.0.1:0"],
                             capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(run.returncode, 2)
        self.assertIn("another service uses this folder", run.stderr)

    def test_a_folder_that_cannot_be_written_to_is_called_so(self):
        import subprocess
        self.service.end()
        os.unlink(self.service.folder + "/lock")
        os.mkdir(self.service.folder + "/lock")  # as on a disk mounted read-only
        run = subprocess.run([ServiceTest.program, "--data", self.service.folder, "--listen", "127.0.0.1:0"],
                             capture_output=True, text=True, timeout=PATIENCE, check=False)
        os.rmdir(self.service.folder + "/lock")
        self.service.start()
        self.assertEqual(run.returncode, 4)
        self.assertIn("is not writable", run.stderr)
        self.assertNotIn("another service", run.stderr)

    def ask_until_it_ends(self, seed, accepted):
        chance = random.Random(seed)
        try:
            while True:
                self.ask(chance, accepted)
        except (OSError, http.client.HTTPException, AssertionError, ValueError):
            return

    def ask(self, chance, accepted):
        """Requests a job, or sends a file whole or in pieces, and records what the service acknowledged."""
        what, data = chance.random(), chance.randbytes(chance.randrange(1, 400000))
        if what < 0.02:  # seconds of work
            self.ask_for_job(accepted, "fit", "mixture", dims=16, members=16, steps=2000, seed=chance.randrange(1, 40))
        elif what < 0.6:
            self.ask_for_job(accepted, "density", "volume", dims=24, bandwidth=0.2 + chance.randrange(400) / 1000)
        elif what < 0.8:
            accepted.clouds[self.service.add_cloud(data, "x.bin")] = data
        else:
            upload = Pieces(self.service, len(data), "x.bin")
            accepted.uploads[upload] = data, 0
            for begin in range(0, len(data), 100000):
                self.assertEqual(upload.send(data[begin:begin + 100000], begin), 204)
                accepted.uploads[upload] = data, min(len(data), begin + 100000)

    def ask_for_job(self, accepted, process, output, **inputs):
        job = self.service.run_later(process, {"cloud": self.cloud, **inputs})
        accepted.jobs.append((job, output, tuple(inputs.items())))

    def finish(self, accepted):
        """Sends the rest of each upload, from the offset that the service reports."""
        for upload, (data, answered) in accepted.uploads.items():
            offset = upload.offset()
            self.assertGreaterEqual(offset, answered)
            if offset < len(data):
                self.assertEqual(upload.send(data[offset:], offset), 204)
            accepted.clouds[upload.id] = data
        accepted.uploads = {}

    def test_kills_at_random_moments_lose_nothing(self):
        kills = int(os.environ.get("SKDE_SERVICE_KILLS", "6"))
        chance = random.Random(7)
        accepted = types.SimpleNamespace(jobs=[], clouds={}, uploads={})
        slowest = resumed = 0
        for _ in range(kills):
            asking = [threading.Thread(target=self.ask_until_it_ends, args=(chance.randrange(1 << 30), accepted))
                      for _ in range(2)]
            for one in asking:
                one.start()
            time.sleep(chance.uniform(0.02, 0.4))
            if chance.random() < 0.5:
                for worker in self.service.workers(chance.choice(("cpu", "planner"))):
                    os.kill(worker, signal.SIGKILL)
                time.sleep(chance.uniform(0, 0.05))
            self.service.process.kill()  # in the middle of requests
            for one in asking:
                one.join()
            slowest = max(slowest, self.restart())
            resumed += sum(answered < len(data) for data, answered in accepted.uploads.values())
            self.finish(accepted)
        crashed = self.check_jobs(accepted.jobs)
        for cloud, data in accepted.clouds.items():
            self.assertEqual(self.service.call("GET", f"/clouds/{cloud}/content").body, data)
        fits = sum(output == "mixture" for _, output, _ in accepted.jobs)
        print(f"{kills} kills, {len(accepted.jobs)} jobs accepted, {fits} of them fits, {crashed} ended by three crashes, "
              f"{len(accepted.clouds)} clouds, {resumed} uploads resumed, 0 lost; ready again within {slowest:.2f} s", flush=True)
        end = time.monotonic() + PATIENCE
        while os.listdir(os.path.join(self.service.folder, "work")):  # until the folder of the last run has been moved to its place
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def check_jobs(self, jobs):
        """Returns how many jobs failed because a worker was killed in each of three attempts; no job may fail otherwise."""
        expected, crashed = {}, 0
        for job, output, inputs in jobs:
            status = self.service.wait_for(job)
            if status["status"] == "failed" and status["exception"]["kind"] == "crash":
                crashed += 1
                continue
            self.assertEqual(status["status"], "successful", status)
            body = self.service.call("GET", f"/jobs/{job}/results/{output}").body
            self.assertEqual(expected.setdefault(inputs, body), body)
        return crashed


if __name__ == "__main__":
    main()
