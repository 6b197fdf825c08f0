"""Two owners in one skde-serve: results, connections, workers and disk of one leave the other's share alone."""

import gzip
import os
import signal
import socket
import tempfile
import threading
import time

from service_process import PATIENCE, ServiceTest, grid_points, main

ALICE, BOB = "a" * 32, "b" * 32


class Owners(ServiceTest):
    more = ()

    @classmethod
    def setUpClass(cls):
        cls.there = tempfile.TemporaryDirectory(prefix="skde-sharing-")
        cls.addClassCleanup(cls.there.cleanup)
        tokens = cls.there.name + "/tokens"
        with open(tokens, "w", encoding="ascii", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(f"{ALICE} alice\n{BOB} bob\n")
        cls.flags = ("--token-file", tokens, *cls.more)
        super().setUpClass()

    def use(self, token):
        self.service.token = token
        return self.service

    def job(self, token, cloud, **inputs):
        job = self.use(token).run_later("density", {"cloud": cloud, **inputs}, outputs={"volume": {}})
        self.service.wait_for(job)
        return job

    def volume(self, token, job):
        time.sleep(0.02)  # the disk records times in steps of some milliseconds
        return self.use(token).call("GET", f"/jobs/{job}/results/volume").status


class QuotaTest(Owners):
    more = ("--quota", "1M")  # results of 34 x 34 x 34 values in float take about 157 kB: three in each half

    def test_results_of_one_owner_remove_none_of_another(self):
        theirs, mine = self.use(BOB).add_cloud(grid_points(50)), self.use(ALICE).add_cloud(grid_points(60))
        few = [self.job(BOB, theirs, dims="34,34,34", bandwidth=0.5 + i / 10) for i in range(3)]
        many, folder = [], self.service.folder + "/results"
        for i in range(9):
            many.append(self.job(ALICE, mine, dims="34,34,34", bandwidth=0.5 + i / 10))
            held = sum(os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(folder) for name in names)
            self.assertLess(held, 1 << 20)
        self.assertEqual([self.volume(BOB, job) for job in few], [200] * 3)
        self.assertEqual([self.volume(ALICE, job) for job in many], [410] * 6 + [200] * 3)
        # After a restart each owner has the same share. A result that was just used outlives an older one.
        self.service.end()
        self.service.start()
        self.service.wait_ready()
        self.assertEqual(self.volume(ALICE, many[6]), 200)
        self.job(ALICE, mine, dims="34,34,34", bandwidth=2)
        self.assertEqual([self.volume(ALICE, job) for job in many[6:]], [200, 410, 200])
        self.assertEqual([self.volume(BOB, job) for job in few], [200] * 3)
        # 50 x 50 x 50 values fit into half of the quota, 60 x 60 x 60 not, whether one waits for them or not.
        for prefer in ("respond-async", "wait=60"):
            answer = self.use(ALICE).call("POST", "/processes/density/execution", {
                "inputs": {"cloud": mine, "dims": "60,60,60"}, "outputs": {"volume": {}}}, {"Prefer": prefer})
            self.assertEqual(self.problem(answer, 413, "resources")["parameter"], "dims", prefer)
        self.assertEqual(self.volume(ALICE, self.job(ALICE, mine, dims="50,50,50")), 200)
        self.assertEqual([self.volume(BOB, job) for job in few], [200] * 3)


class ConnectionTest(Owners):
    more = ("--connections", "30", "--idle-time", "60")

    def slow_upload(self, token):
        end = socket.create_connection((self.service.host, self.service.port), timeout=PATIENCE)
        self.addCleanup(end.close)
        end.sendall(f"POST /clouds?name=a HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n"
                    "Content-Length: 1000000\r\n\r\n1".encode())
        return end

    def test_one_owner_leaves_connections_for_others_and_for_the_health(self):
        ends = [self.slow_upload(ALICE) for _ in range(60)]
        refused = 0
        for end in ends:
            end.settimeout(0.05)
            try:
                refused += end.recv(12) == b"HTTP/1.1 503"
            except OSError:
                pass
        self.assertGreaterEqual(refused, 20)
        for _ in range(8):
            self.assertEqual(self.use(BOB).call("GET", "/jobs").status, 200)
            self.assertEqual(self.service.call("GET", "/health/live", token="none").status, 200)
        theirs = [self.service.connect() for _ in range(10)]  # a share: a third, as one is left for those without a token
        for connection in theirs:
            self.assertEqual(self.service.call("GET", "/jobs", connection=connection).status, 200)
        # One more takes the place of one that waits.
        self.assertEqual(self.service.call("GET", "/jobs").status, 200)
        for connection in theirs:
            connection.close()


class WaitTest(Owners):
    more = ("--run-time", "3", "--sync-time", "60")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.service.token = ALICE
        cls.mine = cls.service.add_cloud(grid_points(20000), "large.csv")
        head, rows = grid_points(300).encode().split(b"\n", 1)
        cls.service.wait_for_planner()
        cls.packed = cls.service.add_cloud(gzip.compress(head + b"\n" + rows * 3000), "packed.csv.gz")

    def test_runs_that_predict_nothing_have_the_limit_too(self):
        self.use(ALICE)
        large = self.service.add_cloud(grid_points(200000), "larger.csv")
        for prefer in ("respond-async", "wait=60"):
            answer = self.service.call("POST", "/processes/organise/execution", {"inputs": {"cloud": large}},
                                       {"Prefer": prefer})
            self.assertIn("limit of a run", self.problem(answer, 413, "resources")["detail"])
            answer = self.service.call("POST", "/processes/density/execution", {
                "inputs": {"cloud": self.mine, "dims": 400, "engine": "naive"}}, {"Prefer": prefer})
            self.assertIn("limit of a run", self.problem(answer, 413, "resources")["detail"])

    def test_a_run_that_was_predicted_wrong_ends(self):
        job = self.use(ALICE).run_later("organise", {"cloud": self.packed})
        status = self.service.wait_for(job)
        self.assertEqual((status["status"], status["exception"]["status"]), ("failed", 413))
        self.assertIn("twice the limit", status["message"])
        small = self.service.add_cloud(grid_points(50))
        self.assertEqual(self.service.run_now("info", {"cloud": small}).status, 200)

    def test_limits_hold_while_the_planner_is_stopped(self):
        planner, = self.use(BOB).workers("planner")
        os.kill(planner, signal.SIGSTOP)
        small = {"cloud": self.service.add_cloud(grid_points(50)), "dims": 8}
        large = {"cloud": self.service.add_cloud(grid_points(20000)), "dims": 400, "engine": "naive"}
        jobs = [self.service.run_later("density", {**inputs, "bandwidth": 1 + i / 10})
                for i in range(2) for inputs in (small, large)]
        ends = [self.service.wait_for(job) for job in jobs]
        self.assertEqual([end["status"] for end in ends], ["successful", "failed"] * 2)
        self.assertIn("limit of a run", ends[1]["message"])
        self.assertIn("limit of a run", self.service.run_now("density", large).json()["detail"])
        self.service.wait_for_planner()
        self.assertNotEqual(self.service.workers("planner"), [planner])


class HashTest(Owners):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="skde-allowed-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.more = ("--allow-path", cls.folder.name)
        super().setUpClass()

    def test_nobody_waits_for_the_hash_of_a_large_file(self):
        with open(self.folder.name + "/large.csv", "wb") as file:
            file.truncate(8 << 30)
        thread = threading.Thread(target=self.register)
        thread.start()
        self.addCleanup(thread.join)
        time.sleep(0.3)
        for token in (BOB, ALICE):
            answer = self.service.call("POST", "/clouds?name=a.csv", grid_points(50).encode(), token=token)
            self.assertEqual(answer.status, 201)
            self.assertTrue(thread.is_alive())
        os.truncate(self.folder.name + "/large.csv", 0)  # ends the hash

    def register(self):
        self.service.call("POST", "/clouds", {"path": self.folder.name + "/large.csv"},
                          {"Content-Type": "application/json"}, ALICE)


if __name__ == "__main__":
    main()
