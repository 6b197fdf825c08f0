"""Jobs of skde-serve: progress, cancellation, the cache, ranges of results."""

import os
import threading

from service_process import ServiceTest, grid_points, main


class JobTest(ServiceTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cloud = cls.service.add_cloud(grid_points(500))

    def test_events_tell_every_state_once_and_end(self):
        job = self.service.run_later("density", {"cloud": self.cloud, "dims": 40, "bandwidth": 0.31})
        status, events = self.service.events(job)
        self.assertEqual(status, 200)
        ids = [event[0] for event in events]
        self.assertEqual(ids, sorted(set(ids)))
        self.assertEqual(events[-1][1], "status")
        self.assertEqual(events[-1][2]["status"], "successful")
        shares = [event[2]["progress"] for event in events]
        self.assertEqual(shares, sorted(shares))
        self.assertEqual(self.service.events(job, ids[-1]), (204, []))
        self.assertEqual(self.service.events(job, ids[-1] - 1)[1][-1][2]["status"], "successful")

    def test_progress_is_seen_and_delete_stops_the_engine(self):
        job = self.service.occupy(bandwidth=0.2)
        self.until(lambda: self.service.status(job).get("share"))
        status = self.service.status(job)
        self.assertTrue(0 < status["progress"] < 100 and status["total"] > 0 and status["rate"] > 0, status)
        answer = self.service.call("DELETE", f"/jobs/{job}")
        self.assertEqual((answer.status, answer.json()["status"]), (200, "dismissed"))
        # The only worker must be free again, or this would wait for minutes.
        self.assertEqual(self.service.run_now("density", {"cloud": self.cloud, "dims": 9}).status, 200)
        self.problem(self.service.call("GET", f"/jobs/{job}/results"), 410, "cancelled")
        self.assertEqual(self.service.events(job)[1][-1][2]["status"], "dismissed")
        self.assertEqual(self.service.call("DELETE", f"/jobs/{job}").status, 200)
        self.problem(self.service.call("GET", f"/jobs/{job}"), 404, "not-found")

    def test_jobs_that_wait_have_a_position_and_small_ones_overtake(self):
        first = self.service.occupy(bandwidth=0.21)
        inputs = {"cloud": self.service.large, "dims": 256, "engine": "naive", "bandwidth": 0.22}
        waiting = self.service.run_later("density", inputs)
        small = self.service.run_later("density", {"cloud": self.cloud, "dims": 10, "bandwidth": 0.4})
        expected = [self.service.status(job)["expectedSeconds"] for job in (waiting, small)]
        self.assertGreater(expected[0], 10 * expected[1])
        self.assertEqual(self.service.status(waiting)["status"], "accepted")
        not_ready = self.problem(self.service.call("GET", f"/jobs/{waiting}/results"), 404, "not-found")
        self.assertEqual(not_ready["type"],
                         "http://www.opengis.net/def/exceptions/ogcapi-processes-1/1.0/result-not-ready")
        self.service.call("DELETE", f"/jobs/{first}")
        self.assertEqual(self.service.wait_for(small)["status"], "successful")
        begun = self.service.wait_for(waiting, "running", "accepted").get("started")
        overtook = self.service.status(small)["started"]
        self.assertTrue(begun is None or begun > overtook, (begun, overtook))
        self.assertEqual(self.service.call("DELETE", f"/jobs/{waiting}").json()["status"], "dismissed")

    def test_runs_and_plans_leave_nothing_behind(self):
        for process in ("density", "engines"):
            self.service.wait_for(self.service.run_later(process, {"cloud": self.cloud, "dims": 21}))
        self.until(lambda: not os.listdir(os.path.join(self.service.folder, "work")))

    def test_the_same_request_is_computed_once(self):
        inputs = {"cloud": self.cloud, "dims": 30, "bandwidth": 0.52}
        jobs = [self.service.run_later("density", inputs) for _ in range(4)]
        for job in jobs:
            self.assertEqual(self.service.wait_for(job)["status"], "successful")
        bodies = {self.service.result(job).body for job in jobs}
        self.assertEqual(len(bodies), 1)
        before = self.service.metric("skde_runs_total")
        answer = self.service.run_now("density", {"bandwidth": "0.52", "dims": "30", "cloud": self.cloud},
                                      outputs={"volume": {}})
        self.assertEqual((answer.headers["skde-cache"], answer.body), ("hit", bodies.pop()))
        again = self.service.add_cloud(grid_points(500))  # the same bytes as another cloud
        same = self.service.run_now("density", {**inputs, "cloud": again}, outputs={"volume": {}})
        self.assertEqual((same.headers["skde-cache"], same.body), ("hit", answer.body))
        self.assertEqual(self.service.metric("skde_runs_total"), before)
        self.assertGreater(self.service.metric('skde_worker_sample_bytes{worker="cpu"}'), 500 * 24 - 1)

    def test_what_is_on_its_way_to_the_disk_is_not_computed_again(self):
        before = self.service.metric("skde_runs_total")
        for cells in range(90, 100):
            inputs = {"cloud": self.cloud, "dims": f"{cells},{cells},{cells}", "bandwidth": 0.52}
            first = self.service.run_now("density", inputs, outputs={"volume": {}})
            job = self.service.run_later("density", inputs)
            second = self.service.run_now("density", inputs, outputs={"volume": {}})
            self.assertEqual([answer.headers["skde-cache"] for answer in (first, second)], ["miss", "hit"])
            status = self.service.wait_for(job)
            self.assertEqual((status["status"], status["cacheHit"]), ("successful", True))
            third = self.service.result(job).body
            self.assertGreater(len(first.body), 4 * cells**3)
            self.assertTrue(first.body == second.body == third)
        self.assertEqual(self.service.metric("skde_runs_total"), before + 10)

    def test_ranges_and_tags_of_a_result(self):
        job = self.service.finish("density", {"cloud": self.cloud, "dims": 20})
        path = f"/jobs/{job}/results/volume"
        whole = self.service.call("GET", path)
        etag, size = whole.headers["etag"], len(whole.body)
        self.assertEqual(whole.headers["accept-ranges"], "bytes")

        def part(given, **more):
            return self.service.call("GET", path, headers={"Range": given, **more})
        answer = part("bytes=100-199")
        self.assertEqual((answer.status, answer.body), (206, whole.body[100:200]))
        self.assertEqual(answer.headers["content-range"], f"bytes 100-199/{size}")
        self.assertEqual(part("bytes=-50").body, whole.body[-50:])
        self.assertEqual(part(f"bytes={size}-").status, 416)
        self.assertEqual(part("bytes=0-9", **{"If-Range": etag}).status, 206)
        self.assertEqual(part("bytes=0-9", **{"If-Range": '"other"'}).body, whole.body)
        answer = self.service.call("GET", path, headers={"If-None-Match": etag})
        self.assertEqual((answer.status, answer.body), (304, b""))
        head = self.service.call("HEAD", path)
        self.assertEqual((head.headers["content-length"], head.body), (str(size), b""))
        body = {"inputs": {"cloud": self.cloud, "dims": 20}, "outputs": {"volume": {}}}
        sync = self.service.call("POST", "/processes/density/execution", body, {"If-None-Match": etag})
        self.assertEqual(sync.status, 304)

    def test_many_watchers_see_the_end(self):
        job = self.service.occupy(bandwidth=0.23)
        seen = []
        threads = [threading.Thread(target=lambda: seen.append(self.service.events(job)[1][-1][2]["status"]))
                   for _ in range(20)]
        for thread in threads:
            thread.start()
        self.until(lambda: self.service.metric("skde_event_watchers") == 20)
        self.service.call("DELETE", f"/jobs/{job}")
        for thread in threads:
            thread.join()
        self.assertEqual(seen, ["dismissed"] * 20)


if __name__ == "__main__":
    main()
