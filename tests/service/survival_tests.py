"""skde-serve after crashes of the service, of a worker, or of both at random moments."""

import ctypes
import http.client
import json
import os
import random
import signal
import sqlite3
import threading
import time
import types

from service_process import HEAD, PATIENCE, OwnServices, Pieces, grid_points, main, read_all


class SurvivalTest(OwnServices):
    def setUp(self):
        # A signal must end a worker under the sanitizers as it does without them.
        signals = os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0"
        self.service = self.started(environment={"ASAN_OPTIONS": signals})
        self.cloud = self.service.add_cloud(grid_points(300))

    def test_jobs_outlive_the_service(self):
        done = self.service.finish("density", {"cloud": self.cloud, "dims": 16})
        volume = self.service.result(done).body
        running = self.service.occupy(bandwidth=0.2)
        waiting = [self.service.run_later("density", {"cloud": self.cloud, "dims": 16, "bandwidth": 0.1 + i / 100})
                   for i in range(5)]
        self.service.again()
        self.assertEqual(self.service.result(done).body, volume)
        status = self.service.wait_for(running, "running", "accepted")
        self.service.wait_for(running, "running")
        self.service.call("DELETE", f"/jobs/{running}")
        for job in waiting:
            self.assertEqual(self.service.wait_for(job)["status"], "successful")
        self.assertIn(status["status"], ("running", "accepted"))

    def test_the_fourth_start_of_a_job_that_ends_the_service_is_its_failure(self):
        job = self.service.occupy(bandwidth=0.3)
        for attempt in (1, 2, 3):
            self.service.wait_for(job, "running")
            self.assertEqual(self.service.status(job)["attempts"], attempt)
            self.until_table_has(job, attempt)
            self.service.again()
        status = self.service.wait_for(job)
        self.assertEqual((status["status"], status["exception"]["kind"]), ("failed", "crash"))

    def until_table_has(self, job, attempts):
        def rows():
            with sqlite3.connect(f"file:{self.service.folder}/service.sqlite?mode=ro", uri=True) as table:
                return table.execute("SELECT attempts FROM jobs WHERE id = ?", (job,)).fetchall()
        self.until(lambda: rows() == [(attempts,)])

    def until_at_work(self, job, attempt):
        self.until(lambda: (status := self.service.status(job))["status"] == "running"
                   and status["attempts"] == attempt and status["stage"], "no attempt")

    def test_a_worker_that_crashes_costs_one_job_and_not_the_service(self):
        job = self.service.occupy(bandwidth=0.25)
        for attempt in (1, 2, 3):
            self.until_at_work(job, attempt)
            os.kill(self.service.workers()[0], signal.SIGSEGV)
        status = self.service.wait_for(job)
        self.assertEqual(status["status"], "failed")
        self.assertEqual(status["exception"]["kind"], "crash")
        self.assertIn("signal 11", status["exception"]["detail"])
        answer = self.service.run_now("density", {"cloud": self.cloud, "dims": 8})
        self.assertEqual(answer.status, 200)

    def test_workers_that_stand_still_are_replaced(self):
        stopped = self.service.workers() + self.service.workers("beside")
        for worker in stopped:
            os.kill(worker, signal.SIGSTOP)
        self.addCleanup(lambda: [os.kill(worker, signal.SIGKILL) for worker in stopped
                                 if os.path.exists(f"/proc/{worker}")])
        job = self.service.run_later("density", {"cloud": self.cloud, "dims": 16})
        self.until(lambda: self.service.call("GET", "/health/ready").status == 503, "a stuck worker is not told of")
        status = self.service.wait_for(job)
        self.assertEqual((status["status"], status["attempts"]), ("successful", 2))
        self.until(lambda: self.service.call("GET", "/health/ready").status == 200, "not ready again")
        self.until(lambda: self.service.workers("beside") not in ([], stopped[1:]), "the second worker is still the same")
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
        job = self.service.occupy(bandwidth=0.27)
        for attempt, line in ((1, b"{nonsense"), (2, b"7"), (3, b"\n".join(b'{"run": %d, "stage": 7}' % i for i in range(20)))):
            self.until_at_work(job, attempt)
            self.say(self.service.workers()[0], line)
        status = self.service.wait_for(job)
        self.assertEqual((status["status"], status["exception"]["kind"]), ("failed", "crash"))
        self.assertIn("an invalid message", status["exception"]["detail"])
        self.assertEqual(self.service.run_now("density", {"cloud": self.cloud, "dims": 8}).status, 200)

    def test_a_stop_leaves_what_is_in_work_to_the_next_service(self):
        self.service.flags = ("--drain", "1")
        self.service.again()
        job = self.service.occupy(bandwidth=0.35)
        self.assertEqual(self.service.end(), 0)
        self.service.start()
        self.service.wait_for(job, "running")
        self.service.call("DELETE", f"/jobs/{job}")

    def test_a_stop_waits_for_downloads_uploads_and_streams(self):
        self.service.flags = ("--drain", str(PATIENCE))  # under sanitizers the job takes longer than the default
        self.service.again()
        data = os.urandom(30 << 20)
        cloud = self.service.add_cloud(data, "x.bin")
        job = self.service.run_later("density", {"cloud": self.service.add_cloud(grid_points(120), "l.csv"),
                                                 "dims": 140, "engine": "naive"})
        self.service.wait_for(job, "running")
        text = grid_points(1000).encode()

        def connect(line, more=b""):
            end = self.service.dial(HEAD.format(line).encode() + more + b"\r\n", 65536)
            self.addCleanup(end.close)
            return end
        download, stream = connect(f"GET /clouds/{cloud}/content"), connect(f"GET /jobs/{job}/events")
        upload = connect("POST /clouds?name=late.csv", b"Content-Length: %d\r\n" % len(text))
        upload.sendall(text[:100])
        idle = connect("GET /health/live")
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
        large = self.service.add_cloud(grid_points(20000), "large.csv")
        body = json.dumps({"inputs": {"cloud": large, "dims": 400, "engine": "naive"}}).encode()
        for extra in (b"", b"GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n"):
            head = HEAD.format("POST /processes/density/execution") + f"Content-Length: {len(body)}\r\n\r\n"
            end = self.service.dial(head.encode() + body + extra)
            running = lambda: self.service.metric("skde_runs_running") == 1
            self.until(running, "the run does not begin")
            end.close()
            self.until(lambda: not running(), "the run goes on though nobody waits for it")
        self.assertEqual(self.service.call("GET", f"/clouds/{self.cloud}").status, 200)

    def test_one_service_a_folder(self):
        code, text = self.refused("--data", self.service.folder, "--listen", "127.0.0.1:0")
        self.assertEqual(code, 2)
        self.assertIn("another service uses this folder", text)

    def test_a_folder_that_cannot_be_written_to_is_called_so(self):
        self.service.end()
        os.unlink(self.service.folder + "/lock")
        os.mkdir(self.service.folder + "/lock")  # as on a disk mounted read-only
        code, text = self.refused("--data", self.service.folder, "--listen", "127.0.0.1:0")
        os.rmdir(self.service.folder + "/lock")
        self.service.start()
        self.assertEqual(code, 4)
        self.assertIn("is not writable", text)
        self.assertNotIn("another service", text)

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
                for worker in self.service.workers(chance.choice(("cpu", "beside"))):
                    os.kill(worker, signal.SIGKILL)
                time.sleep(chance.uniform(0, 0.05))
            self.service.process.kill()  # in the middle of requests
            for one in asking:
                one.join()
            self.service.kill()
            begun = time.monotonic()
            self.service.start()
            slowest = max(slowest, time.monotonic() - begun)
            resumed += sum(answered < len(data) for data, answered in accepted.uploads.values())
            self.finish(accepted)
        crashed = self.check_jobs(accepted.jobs)
        for cloud, data in accepted.clouds.items():
            self.assertEqual(self.service.content(cloud), data)
        fits = sum(output == "mixture" for _, output, _ in accepted.jobs)
        print(f"{kills} kills, {len(accepted.jobs)} jobs accepted, {fits} of them fits, {crashed} ended by three crashes, "
              f"{len(accepted.clouds)} clouds, {resumed} uploads resumed, 0 lost; ready again within {slowest:.2f} s", flush=True)
        self.until(lambda: not os.listdir(os.path.join(self.service.folder, "work")))

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
