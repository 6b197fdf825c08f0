"""Lists of skde-serve: the filters of OGC API - Processes 1.0, and pages of them."""

import datetime
import time
import urllib.parse

from service_process import ServiceTest, grid_points, main


class JobListTest(ServiceTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cloud = cls.service.add_cloud(grid_points(200))
        done = [cls.service.run_later(process, {"cloud": cls.cloud, **more})
                for process, more in (("info", {}), ("moments", {}), ("info", {"columns": "x,z,y"}))]
        cls.ended = [cls.service.wait_for(job) for job in done]
        time.sleep(0.01)
        cls.running = cls.service.occupy()
        cls.all = [cls.running] + done[::-1]

    @classmethod
    def tearDownClass(cls):
        cls.service.call("DELETE", f"/jobs/{cls.running}")
        super().tearDownClass()

    def listed(self, **query):
        answer = self.service.call("GET", "/jobs?" + urllib.parse.urlencode(query))
        self.assertEqual(answer.status, 200, answer.body)
        return [job["jobID"] for job in answer.json()["jobs"]]

    def test_filters_of_processes_states_and_types(self):
        self.assertEqual(sorted(self.listed()), sorted(self.all))
        self.assertEqual(self.listed(type="process"), self.listed())
        self.assertEqual(set(self.listed(processID="info")), {self.all[1], self.all[3]})
        self.assertEqual(set(self.listed(processID="info,density")), {self.all[0], self.all[1], self.all[3]})
        self.assertEqual(self.listed(processID="sample"), [])
        self.assertEqual(self.listed(status="running"), [self.running])
        self.assertEqual(set(self.listed(status="successful,failed")), set(self.all[1:]))
        self.assertEqual(self.listed(status="successful", processID="moments"), [self.all[2]])

    def test_times_between_which_jobs_were_created(self):
        created = {job["jobID"]: job["created"] for job in self.ended}
        first = created[self.all[3]]
        same = {job for job, time_ in created.items() if time_ == first}
        self.assertEqual(set(self.listed(datetime=first)), same)
        for late in (f"../{first}", f"/{first}"):
            self.assertEqual(set(self.listed(datetime=late)), same)
        for interval in (f"{first}/..", f"{first}/", f"2020-01-01T00:00:00Z/{max(created.values())}",
                         "../9999-12-31T23:59:60Z"):
            expected = set(self.all) if ".." in interval or interval.endswith("/") else set(created)
            self.assertEqual(set(self.listed(datetime=interval)), expected, interval)
        moment = datetime.datetime.fromisoformat(first.replace("Z", "+00:00"))
        east = moment.astimezone(datetime.timezone(datetime.timedelta(hours=5, minutes=30)))
        self.assertEqual(set(self.listed(datetime=east.isoformat(timespec="milliseconds"))), same)
        plus = self.service.call("GET", f"/jobs?datetime={east.isoformat(timespec='milliseconds')}").json()
        self.assertEqual({job["jobID"] for job in plus["jobs"]}, same)  # a '+' that is not escaped
        self.assertEqual(self.listed(datetime=first.replace("Z", "5Z")), [])
        after = first.replace("Z", "5Z") + "/.."
        self.assertEqual(set(self.listed(datetime=after)), set(self.all) - same)

    def test_durations_are_those_of_jobs_that_have_started(self):
        waiting = self.service.run_later("density", {"cloud": self.service.large, "dims": 255, "engine": "naive"})
        cached = self.service.run_later("info", {"cloud": self.cloud})
        self.addCleanup(self.remove, waiting)
        self.addCleanup(self.remove, cached)
        self.assertTrue(self.service.wait_for(cached)["cacheHit"])
        time.sleep(1.1)
        self.assertEqual(self.listed(minDuration=1), [self.running])
        self.assertEqual(set(self.listed(maxDuration=1000000)), set(self.all))
        self.assertEqual(self.listed(minDuration=1, maxDuration=1000000), [self.running])
        self.assertNotIn(self.running, self.listed(maxDuration=1))
        self.assertEqual(self.listed(minDuration=10**18), [])

    def test_wrong_queries_are_told(self):
        for name, value in (("type", "wps"), ("type", ""), ("status", "done"), ("status", "running,"), ("status", ""),
                            ("processID", ""), ("limit", "0"), ("limit", "10001"), ("limit", "-1"), ("limit", "ten"),
                            ("minDuration", "-1"), ("maxDuration", "1.5"), ("cursor", "x"), ("cursor", "5"),
                            ("datetime", "yesterday"), ("datetime", "2026-02-30T00:00:00Z"), ("datetime", ".."),
                            ("datetime", "../.."), ("datetime", "2026-01-01T00:00:00"), ("datetime", "2026-01-01"),
                            ("datetime", "2026-01-01T24:00:00Z"), ("datetime", "2026-01-01T00:00:00.Z"),
                            ("datetime", "2026-01-02T00:00:00Z/2026-01-01T00:00:00Z"),
                            ("datetime", "-026-01-02T00:00:00Z"),
                            ("datetime", "2026-01-01T00:00:00Z/2026-01-02T00:00:00Z/.."), ("state", "running")):
            answer = self.service.call("GET", "/jobs?" + urllib.parse.urlencode({name: value}))
            self.assertEqual(self.problem(answer, 400, "usage")["parameter"], name, (name, value))
        for query in ("limit=0", "limits=1", "cursor=nope"):
            self.problem(self.service.call("GET", "/processes?" + query), 400, "usage")

    def pages(self, path, key):
        found, sizes = [], []
        while path:
            answer = self.service.call("GET", path)
            self.assertEqual(answer.status, 200, answer.body)
            page = answer.json()
            found += [entry[key] for entry in page[path[1:].split("?")[0]]]
            sizes.append(len(page[path[1:].split("?")[0]]))
            yield found, sizes
            following = [link for link in page["links"] if link["rel"] == "next"]
            path = following[0]["href"] if following else None

    def test_pages_stay_right_while_jobs_come_and_go(self):
        made = [self.service.run_later("echo", {"n": n}) for n in range(7)]
        before = self.listed(processID="echo")
        self.assertEqual(set(before), set(made))
        later = []
        for found, sizes in self.pages("/jobs?limit=2&status=successful,accepted&processID=echo", "jobID"):
            later.append(self.service.run_later("echo", {"later": len(later)}))
            if len(later) == 1:  # the job that the cursor names
                self.remove(before[1])
        self.assertEqual(found, before)
        self.assertEqual(sizes, [2, 2, 2, 1])
        for job in {*later, *made} - {before[1]}:
            self.remove(job)

    def remove(self, job):
        """Deletes a job; the first DELETE dismisses a job that waits."""
        while self.service.call("DELETE", f"/jobs/{job}").status == 200:
            pass

    def test_pages_of_processes(self):
        whole = [process["id"] for process in self.service.call("GET", "/processes").json()["processes"]]
        *_, (found, sizes) = self.pages("/processes?limit=5", "id")
        self.assertEqual((found, max(sizes), sum(sizes)), (whole, 5, len(whole)))
        exact = self.service.call("GET", f"/processes?limit={len(whole)}").json()
        self.assertEqual([link["rel"] for link in exact["links"]], ["self"])


if __name__ == "__main__":
    main()
