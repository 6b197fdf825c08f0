"""Two owners in one skde-serve: results, connections, workers and disk of one leave the other's share alone."""

import gzip
import os
import signal
import threading
import time

from service_process import ALICE, BOB, HEAD, ServiceTest, grid_points, main, write_file


class Owners(ServiceTest):
    more = ()

    @classmethod
    def setUpClass(cls):
        tokens = write_file(cls.class_folder() + "/tokens", f"{ALICE} alice\n{BOB} bob\n")
        cls.flags = ("--token-file", tokens, *cls.more)
        super().setUpClass()

    def use(self, token):
        self.service.token = token
        return self.service

    def job(self, token, cloud, **inputs):
        return self.use(token).finish("density", {"cloud": cloud, **inputs}, outputs={"volume": {}})

    def volume(self, token, job):
        time.sleep(0.02)  # the disk records times in steps of some milliseconds
        return self.use(token).result(job).status


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
        self.service.again(self.service.end)
        self.assertEqual(self.volume(ALICE, many[6]), 200)
        self.job(ALICE, mine, dims="34,34,34", bandwidth=2)
        self.assertEqual([self.volume(ALICE, job) for job in many[6:]], [200, 410, 200])
        self.assertEqual([self.volume(BOB, job) for job in few], [200] * 3)
        # 50 x 50 x 50 values fit into half of the quota, 60 x 60 x 60 not, whether one waits for them or not.
        for prefer in ("respond-async", "wait=60"):
            answer = self.use(ALICE).run_now("density", {"cloud": mine, "dims": "60,60,60"}, prefer, outputs={"volume": {}})
            self.assertEqual(self.problem(answer, 413, "resources")["parameter"], "dims", prefer)
        self.assertEqual(self.volume(ALICE, self.job(ALICE, mine, dims="50,50,50")), 200)
        self.assertEqual([self.volume(BOB, job) for job in few], [200] * 3)


class ConnectionTest(Owners):
    more = ("--connections", "30", "--idle-time", "60")

    def slow_upload(self, token):
        end = self.use(token).dial(HEAD.format("POST /clouds?name=a") + "Content-Length: 1000000\r\n\r\n1")
        self.addCleanup(end.close)
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
        cls.service.wait_for_predictions()
        cls.packed = cls.service.add_cloud(gzip.compress(head + b"\n" + rows * 3000), "packed.csv.gz")

    def test_runs_that_predict_nothing_have_the_limit_too(self):
        self.use(ALICE)
        large = self.service.add_cloud(grid_points(200000), "larger.csv")
        for prefer in ("respond-async", "wait=60"):
            for process, inputs in (("organise", {"cloud": large}),
                                    ("density", {"cloud": self.mine, "dims": 400, "engine": "naive"})):
                answer = self.service.run_now(process, inputs, prefer)
                self.assertIn("limit of a run", self.problem(answer, 413, "resources")["detail"])

    def test_a_run_that_was_predicted_wrong_ends(self):
        job = self.use(ALICE).run_later("organise", {"cloud": self.packed})
        status = self.service.wait_for(job)
        self.assertEqual((status["status"], status["exception"]["status"]), ("failed", 413))
        self.assertIn("twice the limit", status["message"])
        small = self.service.add_cloud(grid_points(50))
        self.assertEqual(self.service.run_now("info", {"cloud": small}).status, 200)

    def test_a_stopped_worker_delays_the_prediction_of_one_request(self):
        beside, = self.use(BOB).workers("beside")
        os.kill(beside, signal.SIGSTOP)
        large = {"cloud": self.service.add_cloud(grid_points(20000)), "dims": 400, "engine": "naive"}
        end = self.service.wait_for(self.service.run_later("density", large))  # refused by its own worker
        self.assertEqual(end["status"], "failed")
        self.assertIn("limit of a run", end["message"])
        small = {"cloud": self.service.add_cloud(grid_points(50)), "dims": 8}
        for number in range(3):  # other workers predict
            refused = self.service.ask_later("density", {**large, "bandwidth": 1 + number})
            self.assertIn("limit of a run", self.problem(refused, 413, "resources")["detail"])
            self.service.wait_for(self.service.run_later("density", {**small, "bandwidth": 1 + number}))
        self.assertIn("limit of a run", self.service.run_now("density", large).json()["detail"])
        self.until(lambda: self.service.workers("beside") not in ([], [beside]))


class HashTest(Owners):
    @classmethod
    def setUpClass(cls):
        cls.allowed = cls.class_folder()
        cls.more = ("--allow-path", cls.allowed)
        super().setUpClass()

    def test_nobody_waits_for_the_hash_of_a_large_file(self):
        with open(self.allowed + "/large.csv", "wb") as file:
            file.truncate(8 << 30)
        thread = threading.Thread(target=lambda: self.service.register(self.allowed + "/large.csv", token=ALICE))
        thread.start()
        self.addCleanup(thread.join)
        time.sleep(0.3)
        for token in (BOB, ALICE):
            answer = self.service.call("POST", "/clouds?name=a.csv", grid_points(50).encode(), token=token)
            self.assertEqual(answer.status, 201)
            self.assertTrue(thread.is_alive())
        os.truncate(self.allowed + "/large.csv", 0)  # ends the hash


if __name__ == "__main__":
    main()
