"""Requests for executions: preferences (RFC 7240), inputs by link, outputs by reference."""

import base64
import json
import re
import sqlite3
import struct
import time
import urllib.parse

from service_process import ALICE, BOB, PATIENCE, ServiceTest, grid_points, main

POINTS = grid_points(300)


class PreferenceTest(ServiceTest):
    def status(self, *headers):
        """Returns the status of an execution with these Prefer headers."""
        connection = self.service.connect()
        body = json.dumps({"inputs": {"a": 1}}).encode()
        connection.putrequest("POST", "/processes/echo/execution")
        for name, value in (("Authorization", "Bearer " + self.service.token), ("Content-Length", str(len(body)))):
            connection.putheader(name, value)
        for header in headers:
            connection.putheader("Prefer", header)
        connection.endheaders(body)
        response = connection.getresponse()
        response.read()
        connection.close()
        return response.status

    def test_a_list_of_preferences(self):
        for headers in (["respond-async"], ["Respond-Async"], ["wait=10", "respond-async"],
                        ["handling=lenient, respond-async"], ["respond-async; a=b;;c=\"d,e\" , foo"],
                        ['foo="a, \\" b",respond-async'], ["@, respond-async"],
                        ['respond-async=""'], [",, respond-async"]):
            self.assertEqual(self.status(*headers), 201, headers)
        for headers in ([], ['foo="respond-async"'], ["foo=respond-async"],
                        ["not-respond-async"], ["respond-asynchronously"], ["foo; respond-async"],
                        ['foo="a, respond-async'], ["respond-async=no"], ["respond async"],
                        ['foo="\\", respond-async"']):
            self.assertEqual(self.status(*headers), 200, headers)

    def test_wait_bounds_what_a_synchronous_request_waits(self):
        cloud = self.service.add_cloud(grid_points(20000), "large.csv")
        inputs = {"cloud": cloud, "dims": 256, "engine": "naive"}
        for outputs in ({}, {"outputs": {"volume": {"transmissionMode": "reference"}}}):
            begun = time.monotonic()
            answer = self.service.run_now("density", inputs, "handling=strict, wait=1", **outputs)
            self.assertIn("respond-async", self.problem(answer, 503, "limit")["suggestion"])
            self.assertEqual(answer.headers["preference-applied"], "wait=1")
            self.assertTrue(0.9 < time.monotonic() - begun < 60)
        self.until(lambda: self.service.call("GET", "/jobs").json()["jobs"] == self.jobs_of_others())
        self.assertEqual(self.service.run_now("echo", {}, "wait=100").status, 200)

    def jobs_of_others(self):
        return [job for job in self.service.call("GET", "/jobs").json()["jobs"] if job["processID"] == "echo"]

    def test_wait_is_never_longer_than_the_service_allows(self):
        limited = self.started("--sync-time", "0.3")
        cloud = limited.add_cloud(grid_points(20000), "large.csv")
        for wait in (None, "100", "99999999999999999999"):
            begun = time.monotonic()
            answer = limited.run_now("density", {"cloud": cloud, "dims": 256, "engine": "naive"}, wait and f"wait={wait}")
            self.assertIn("respond-async", self.problem(answer, 503, "limit")["suggestion"])
            self.assertNotIn("preference-applied", answer.headers)
            self.assertLess(time.monotonic() - begun, 60)
        small = limited.add_cloud(grid_points(50))
        self.until(lambda: limited.run_now("density", {"cloud": small, "dims": 8}).status == 200)


class LinkTest(ServiceTest):
    flags = ("--token-bytes", "1MiB")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cloud = cls.service.add_cloud(POINTS)
        cls.volume = cls.density(cls.cloud)

    @classmethod
    def density(cls, cloud, **more):
        """Returns the bytes of a volume, or the answer if it has none."""
        answer = cls.service.run_now("density", {"cloud": cloud, "dims": 10}, outputs={"volume": {}}, **more)
        return answer.body if answer.status == 200 else answer

    def clouds(self):
        return [cloud["id"] for cloud in self.service.call("GET", "/clouds").json()["clouds"]]

    def test_links_to_clouds(self):
        here = f"http://{self.service.host}:{self.service.port}"
        for link in (f"/clouds/{self.cloud}", f"/clouds/{self.cloud}/content", f"{here}/clouds/{self.cloud}",
                     f"{here.upper()}/clouds/{self.cloud}/content", f"/%63louds/{self.cloud}"):
            self.assertEqual(self.density({"href": link}), self.volume, link)
        twice = self.density([{"href": f"/clouds/{self.cloud}", "type": "text/csv"}, self.cloud])
        self.assertEqual(twice, self.density(f"{self.cloud},{self.cloud}"))
        self.assertNotEqual(twice, self.volume)

    def test_links_to_volumes_of_jobs(self):
        job = self.service.finish("density", {"cloud": self.cloud, "dims": 10})
        plain = self.service.run_now("levels", {"volume": job, "mass": 0.5}).body
        for link in (f"/jobs/{job}", f"/jobs/{job}/results/volume"):
            self.assertEqual(self.service.run_now("levels", {"volume": {"href": link}, "mass": 0.5}).body, plain)
        sent = self.service.add_cloud(self.volume, "v.nrrd")
        answer = self.service.run_now("levels", {"volume": {"href": f"/clouds/{sent}"}, "mass": 0.5})
        self.assertEqual(answer.status, 200, answer.body)
        self.service.call("DELETE", f"/clouds/{sent}")
        for link in (f"/jobs/{job}", f"/jobs/{job}/results/volume"):
            self.problem(self.density({"href": link}), 400, "usage")  # not a cloud
        other = self.service.run_now("levels", {"volume": {"href": f"/jobs/{sent}"}, "mass": 0.5})
        self.problem(other, 404, "not-found")
        self.problem(self.density({"href": f"/clouds/{job}"}), 404, "not-found")

    def test_data_become_clouds_of_the_owner(self):
        coded = base64.b64encode(POINTS.encode()).decode()
        for data in ("text/csv," + urllib.parse.quote(POINTS), "text/csv;base64," + coded,
                     "," + urllib.parse.quote(POINTS), "Text/CSV;charset=utf-8;base64," + coded.rstrip("="),
                     "text/csv;base64," + urllib.parse.quote(coded)):
            before = set(self.clouds())
            self.assertEqual(self.density({"href": "data:" + data})[-4000:], self.volume[-4000:], data[:30])
            new = set(self.clouds()) - before
            self.assertEqual(len(new), 1)
            self.density({"href": "data:" + data})
            self.assertEqual(set(self.clouds()) - before, new)  # the same data are one cloud
            path = f"/clouds/{new.pop()}"
            self.assertEqual(self.service.call("GET", path + "/content").body, POINTS.encode())
            self.assertEqual(self.service.call("DELETE", path).status, 204)
        clouds = [self.cloud, {"href": "data:text/csv;base64," + coded}]
        job = self.service.run_later("density", {"cloud": clouds, "dims": 9})
        self.assertEqual(self.service.wait_for(job)["status"], "successful")
        both = self.service.run_now("density", {"cloud": [self.cloud] * 2, "dims": 9}, outputs={"volume": {}}).body
        self.assertEqual(self.service.result(job).body[-2000:], both[-2000:])

    def test_data_may_be_a_volume(self):
        data = "data:application/vnd.nrrd;base64," + base64.b64encode(self.volume).decode()
        before = self.clouds()
        levels = self.service.run_now("levels", {"volume": {"href": data}, "mass": 0.5}, response="document").json()
        self.assertEqual(levels["summary"]["levels"][0]["mass"], 0.5)
        for cloud in set(self.clouds()) - set(before):
            self.service.call("DELETE", f"/clouds/{cloud}")

    def test_what_is_anothers_is_not_there(self):
        service = self.started("--token-file", self.token_file(ALICE, BOB))
        service.token = ALICE
        cloud = service.add_cloud(self.volume, "a.nrrd")
        made = service.finish("convert", {"volume": cloud})
        for link in (f"/clouds/{cloud}", f"/jobs/{made}", f"/jobs/{made}/results/volume"):
            levels = lambda token: service.run_now("levels", {"volume": {"href": link}}, token=token)
            self.assertEqual(levels(ALICE).status, 200)
            self.problem(levels(BOB), 404, "not-found")
        self.problem(service.run_now("info", {"cloud": {"href": f"/clouds/{cloud}"}}, token=BOB), 404, "not-found")

    def test_what_is_refused_leaves_nothing(self):
        before = self.clouds()
        data = "data:text/csv;base64," + base64.b64encode(POINTS.encode()).decode()
        for link in ("http://example.org/a.csv", "https://127.0.0.1/clouds/" + self.cloud, "file:///etc/passwd",
                     "//host/clouds/x", "a.csv", "", "/etc/passwd", "/clouds", f"/clouds/{self.cloud}/points",
                     f"/clouds/{self.cloud}?a=b", f"/clouds/{self.cloud}#a", "data:text/csv", "data:text/csv,",
                     "data:text/csv,%zz", "data:text/csv,%4", "data:;base64,a", "data:;base64,@@@@",
                     "data:;base64,AAAA=", "data:image/gif;base64,AAAA", 5, None):
            problem = self.problem(self.density({"href": link}), 400, "usage")
            self.assertEqual(problem["parameter"], "cloud", link)
        self.assertIn("its own", self.density({"href": "ftp://example.org/"}).json()["detail"])
        self.problem(self.service.run_now("density", {"cloud": {"href": data}, "dmis": 3}), 400, "usage")
        self.problem(self.service.run_now("density", {"cloud": [{"href": data}, "f" * 32]}), 404, "not-found")
        self.problem(self.service.run_now("density", {"cloud": {"href": data}, "columns": "no,such,one"}), 400, "usage")
        much = "data:text/csv," + "1,2,3%0A" * 120000
        self.problem(self.density([{"href": much}, {"href": much}]), 413, "limit")
        left = self.density([{"href": "data:text/csv," + "1,2,3%0A" * 60000}] * 2)  # 720 kB, and then over the limit
        self.assertIn(left.status, (413, 422), left.body)
        self.assertEqual(self.clouds(), before)
        self.assertEqual(self.service.call("GET", "/jobs?processID=eval").json()["jobs"], [])


def fits(cards, data):
    """Returns a part of a FITS file: a header of 80 characters a card, and its data."""
    header = "".join(f"{key:8}= {value:>20}".ljust(80) for key, value in cards) + "END".ljust(80)
    return header.ljust(-(-len(header) // 2880) * 2880).encode() + data.ljust(-(-len(data) // 2880) * 2880, b"\0")


class OutputTest(ServiceTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cloud = cls.service.add_cloud(POINTS)

    def density(self, outputs, **more):
        return self.service.run_now("density", {"cloud": self.cloud, "dims": 9, **more}, outputs=outputs)

    def test_the_format_of_every_output_is_heeded_or_refused(self):
        typed = lambda name, kind: {name: {"format": {"mediaType": kind}}}
        self.assertEqual(self.density(typed("volume", "Application/Vnd.Numpy.Npy")).body[:6], b"\x93NUMPY")
        for output in (typed("picture", "image/png"), typed("summary", "application/json")):
            self.assertEqual(self.density(output).status, 200, output)
        for output in (typed("picture", "image/jpeg"), typed("summary", "text/plain"), typed("volume", "image/png"),
                       {"volume": {"format": "npy"}}, {"summary": {"format": {}}}):
            self.problem(self.density(output), 400, "usage")

    def test_numbers_as_10_0(self):
        body = '{"inputs": {"cloud": "ID", "dims": [9.0, 8.0, 1e1]}, "outputs": {"summary": {}}}'
        answer = self.service.call("POST", "/processes/density/execution", body.replace("ID", self.cloud).encode())
        self.assertEqual(answer.json()["grid"]["dims"], [9, 8, 10])

    def test_outputs_that_share_a_flag(self):
        answer = self.service.run_now("bandwidth", {"cloud": self.cloud, "method": "lscv"},
                                      outputs={"picture": {}, "drawing": {}})
        self.assertEqual(answer.status, 200, answer.body[:500])
        self.assertIn(b"\x89PNG", answer.body)
        self.assertIn(b"<svg", answer.body)

    def test_a_large_volume_is_sent_raw_and_refused_in_json_before_it_is_computed(self):
        large = {"dims": "264,264,264", "bandwidth": 0.1}
        answer = self.density({"volume": {}, "summary": {}}, **large)
        self.assertEqual(answer.status, 200)
        self.assertGreater(len(answer.body), 264**3 * 4)
        begun = self.service.metric("skde_runs_total")
        answer = self.service.run_now("density", {"cloud": self.cloud, **large, "bandwidth": 0.2}, response="document")
        self.assertEqual(self.problem(answer, 413, "limit")["parameter"], "outputs")
        self.assertEqual(self.service.metric("skde_runs_total"), begun)

    def test_parts_of_a_file_are_told_apart(self):
        columns = [card for i, axis in enumerate("xyz", 1) for card in ((f"TTYPE{i}", f"'{axis}'"), (f"TFORM{i}", "'D'"))]
        table = lambda count, name: fits([
            ("XTENSION", "'BINTABLE'"), ("BITPIX", 8), ("NAXIS", 2), ("NAXIS1", 24), ("NAXIS2", count), ("PCOUNT", 0),
            ("GCOUNT", 1), ("TFIELDS", 3), *columns, ("EXTNAME", f"'{name}'")],
            struct.pack(f">{3 * count}d", *(i * i % 7 for i in range(3 * count))))
        first = fits([("SIMPLE", "T"), ("BITPIX", 8), ("NAXIS", 0)], b"")
        cloud = self.service.add_cloud(first + table(20, "few") + table(50, "many"), "a.fits")
        used = []
        for part in ("few", "many"):
            answer = self.service.run_now("info", {"cloud": f"{cloud}:{part}"})
            if b"skde-fits" in answer.body:
                self.skipTest("SKIPPED: this build has no module for FITS")
            self.assertEqual(answer.status, 200, answer.body)
            used.append(re.search(rb'"(?:used|read)":(\d+)', answer.body)[1])
        self.assertEqual(used, [b"20", b"50"])
        for part in ("none", "../few", "/etc/passwd"):
            self.assertIn(self.service.run_now("info", {"cloud": f"{cloud}:{part}"}).status, (400, 422), part)

    def test_names_that_begin_with_a_dash_twice(self):
        clouds = [self.service.add_cloud(POINTS, "-a.csv"), self.service.add_cloud(grid_points(20), "-a.csv")]
        answer = self.service.run_now("eval", {"cloud": clouds[0], "points": clouds[1]}, outputs={"summary": {}})
        self.assertEqual(answer.status, 200, answer.body)

    def test_requests_of_ended_jobs_leave_the_table(self):
        job = self.service.finish("echo", {"a": "x" * 900000})
        data = "data:text/csv;base64," + base64.b64encode(POINTS.encode()).decode()
        density = self.service.finish("density", {"cloud": {"href": data}, "dims": "7,7,7"}, outputs={"summary": {}})
        self.service.end()
        with sqlite3.connect(self.service.folder + "/service.sqlite") as table:
            rows = dict(table.execute("SELECT id, request FROM jobs"))
            self.assertEqual(table.execute("PRAGMA auto_vacuum").fetchone(), (2,))
        table.close()
        self.assertLess(len(rows[job]), 200)
        self.service.start()
        self.assertEqual(len(self.service.call("GET", f"/jobs/{job}/results").json()["a"]), 900000)
        answer = self.service.call("GET", f"/jobs/{density}/results")
        self.assertEqual((answer.headers["content-type"], answer.json()["grid"]["dims"]), ("application/json", [7, 7, 7]))


class ReferenceTest(ServiceTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cloud = cls.service.add_cloud(POINTS)
        cls.inputs = {"cloud": cls.cloud, "dims": 11}
        cls.volume = cls.service.run_now("density", cls.inputs, outputs={"volume": {}}).body

    def test_raw_answers_refer_to_results_of_a_job(self):
        for dims in (11, 12):  # already computed, and not yet
            inputs = {**self.inputs, "dims": dims}
            answer = self.service.run_now("density", inputs, outputs={"volume": {"transmissionMode": "reference"}})
            self.assertEqual((answer.status, answer.body), (204, b""))
            link = re.fullmatch(r'<(/jobs/(\w+)/results/volume)>; rel="volume"; type="application/vnd.nrrd"',
                                answer.headers["link"])
            plain = self.service.run_now("density", inputs, outputs={"volume": {}})
            self.assertEqual(self.service.call("GET", link[1]).body, plain.body)
            self.assertEqual(self.service.call("GET", f"/jobs/{link[2]}").json()["status"], "successful")
            self.assertEqual(self.service.call("GET", f"/jobs/{link[2]}/results").status, 204)
        self.assertEqual(self.service.result(link[2], "summary").status, 200)

    def test_several_are_links_or_parts(self):
        by = {"transmissionMode": "reference"}
        answer = self.service.run_now("density", self.inputs, outputs={"volume": by, "summary": by})
        self.assertEqual((answer.status, answer.body), (204, b""))
        mixed = self.service.run_now("density", self.inputs, outputs={"volume": by, "summary": {}})
        self.assertEqual(mixed.status, 200)
        self.assertRegex(mixed.body, rb"Content-ID: <volume>\r\nContent-Location: /jobs/\w+/results/volume\r\n")
        self.assertIn(b'"kind"', mixed.body)

    def test_documents_refer_where_it_is_wished(self):
        outputs = {"volume": {"transmissionMode": "reference"}, "summary": {}}
        document = self.service.run_now("density", self.inputs, outputs=outputs, response="document").json()
        self.assertEqual(self.service.call("GET", document["volume"]["href"]).body, self.volume)
        self.assertEqual(document["summary"]["kind"], "density")
        other = {"summary": {"transmissionMode": "reference"}, "volume": {}}
        document = self.service.run_now("density", self.inputs, outputs=other, response="document").json()
        self.assertEqual(base64.b64decode(document["volume"]["value"]), self.volume)
        self.assertEqual(self.service.call("GET", document["summary"]["href"]).json()["kind"], "density")

    def test_what_fails_is_told_and_leaves_no_job(self):
        outputs = {"volume": {"transmissionMode": "reference"}}
        before = [job["jobID"] for job in self.service.call("GET", "/jobs").json()["jobs"]]
        bad = self.service.add_cloud("x,y,z\n1,2,3\n1,2,3\n", "bad.csv")
        answer = self.service.run_now("density", {"cloud": bad}, outputs=outputs)
        self.assertIn(answer.status, (400, 422), answer.body)
        self.until(lambda: [job["jobID"] for job in self.service.call("GET", "/jobs").json()["jobs"]] == before)

    def test_who_waits_at_the_end_of_the_service_is_told(self):
        service = self.started("--drain", "1")
        first = service.occupy()
        connection, headers = service.connect(), {"Authorization": "Bearer " + service.token}
        body = json.dumps({"inputs": {"n": 1}, "outputs": {"echo": {"transmissionMode": "reference"}}})
        connection.request("POST", "/processes/echo/execution", body, headers)
        self.until(lambda: len(service.call("GET", "/jobs").json()["jobs"]) == 2)
        service.process.terminate()
        answer = connection.getresponse()
        self.assertEqual((answer.status, json.loads(answer.read())["kind"]), (503, "busy"))
        connection.close()
        self.assertEqual(service.process.wait(PATIENCE), 0)
        service.process.stdout.close()
        service.start()
        self.assertEqual([job["jobID"] for job in service.call("GET", "/jobs").json()["jobs"]], [first])
        service.call("DELETE", f"/jobs/{first}")

    def test_a_client_that_goes_ends_the_run(self):
        large = self.service.add_cloud(grid_points(20000), "large.csv")
        connection = self.service.connect()
        body = json.dumps({"inputs": {"cloud": large, "dims": 256, "engine": "naive"},
                           "outputs": {"volume": {"transmissionMode": "reference"}}})
        connection.request("POST", "/processes/density/execution", body,
                           {"Authorization": "Bearer " + self.service.token})
        works = lambda: self.service.metric("skde_runs_running") == 1
        self.until(works)
        connection.close()
        self.until(lambda: not works() and not self.service.call("GET", "/jobs?status=dismissed,running").json()["jobs"])


if __name__ == "__main__":
    main()
