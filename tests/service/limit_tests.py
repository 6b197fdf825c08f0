"""Limits of skde-serve: no requests without a token, no endlessly slow clients, no excessive requests."""

import collections
import concurrent.futures
import contextlib
import socket
import time

from service_process import (HEAD, PATIENCE, PIECE, TUS, OwnServices, ServiceTest, grid_points, main, read_all,
                             write_file)


class AccessTest(ServiceTest):
    def test_everything_of_value_wants_the_token(self):
        for path in ("/processes", "/jobs", "/clouds", "/metrics", "/clouds/a", "/jobs/a/results"):
            for token in ("", "x" * 32, self.service.token[:-1], self.service.token + "0"):
                problem = self.service.call("GET", path, token=token)
                self.problem(problem, 401, "unauthorized")
                self.assertEqual(problem.headers["www-authenticate"], "Bearer")
        self.assertEqual(self.service.call("POST", "/clouds", b"1 2 3", token="").status, 401)
        for path in ("/", "/api", "/conformance", "/health/live", "/health/ready"):
            self.assertEqual(self.service.call("GET", path, token="").status, 200)
        answer = self.service.call("GET", "/jobs")
        self.assertFalse([name for name in answer.headers if name.startswith("access-control")])

    def test_who_has_no_token_is_told_where_it_goes(self):
        problem = self.service.call("GET", "/jobs", token="").json()
        self.assertIn("Authorization: Bearer TOKEN", problem["detail"])
        self.assertIn("#token=", problem["suggestion"])

    def test_browsers_get_a_page_at_the_root(self):
        accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
        page = self.service.call("GET", "/", headers={"Accept": accept}, token="")
        self.assertEqual((page.status, page.headers["content-type"]), (200, "text/html; charset=utf-8"))
        self.assertIn("default-src 'none'", page.headers["content-security-policy"])
        self.assertIn(b'href="/api"', page.body)
        has_view = self.service.call("GET", "/view").status == 200
        self.assertEqual(b'href="/view"' in page.body, has_view)
        for other in ("application/json", "*/*", "application/json, text/html"):
            answer = self.service.call("GET", "/", headers={"Accept": other}, token="")
            self.assertEqual(answer.headers["content-type"], "application/json", other)
            self.assertEqual(answer.headers["vary"], "Accept")

    def test_the_page_says_where_it_is_not_built_in(self):
        answer = self.service.call("GET", "/view")
        self.assertEqual(" view http" in self.service.line, answer.status == 200)
        if answer.status == 200:
            self.assertIn("default-src 'none'", answer.headers["content-security-policy"])
            self.assertEqual(answer.headers["x-content-type-options"], "nosniff")
            self.assertTrue(answer.headers["content-type"].startswith("text/html"))
        else:
            self.problem(answer, 404, "not-found")

    def test_paths_never_reach_the_file_system(self):
        for path in ("/../etc/passwd", "/clouds/..%2f..%2ftoken", "/view/../../etc/passwd", "/jobs/%2e%2e/results/x",
                     "/clouds/../token", "/view/%2e%2e/%2e%2e/etc/passwd"):
            self.assertIn(self.service.call("GET", path).status, (400, 404), path)
        self.problem(self.service.call("GET", "/jobs/%zz"), 400, "request")

    def raw(self, text):
        """Returns everything that a connection answers to these bytes."""
        with self.service.dial(text) as end:
            end.shutdown(socket.SHUT_WR)
            return read_all(end)

    def test_requests_that_are_none(self):
        for text in (b"\x16\x03\x01\x02\x00nonsense\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET\r\n\r\n"):
            answer = self.raw(text)
            self.assertTrue(answer == b"" or answer.startswith(b"HTTP/1.1 400"), answer)
        long_header = b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"y" * 40000 + b"\r\n\r\n"
        self.assertIn(self.raw(long_header)[:12], (b"HTTP/1.1 431", b""))
        self.assertEqual(self.service.call("GET", "/health/live").status, 200)

    def test_a_connection_serves_many_requests_in_a_row(self):
        one = b"GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n"
        last = b"GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        self.assertEqual(self.raw(one * 5 + last).count(b"HTTP/1.1 200 OK"), 6)

    def test_a_body_of_json_has_a_limit(self):
        self.problem(self.service.call("POST", "/processes/echo/execution", b" " * (2 << 20)), 413, "limit")

    def test_long_requests_that_wait_have_a_limit(self):
        first = self.service.occupy(400)
        jobs, refused = ask_until_refused(80, lambda i: self.service.ask_later("echo", {"a": [i, "x" * 1000000]}))
        self.problem(refused, 429, "limit")
        self.assertEqual(len(jobs), 68)
        for job in jobs:
            self.service.call("DELETE", f"/jobs/{job}")
        self.service.wait_for(self.service.run_later("echo", {"a": "x" * 1000000}), "accepted")
        self.service.call("DELETE", f"/jobs/{first}")


class QueueTest(ServiceTest):
    flags = ("--queue", "2", "--token-jobs", "50")

    def test_a_full_queue_says_when_to_come_again_in_a_burst_too(self):
        first = self.service.occupy(bandwidth=0.5)
        work = {"cloud": self.service.large, "dims": 256, "engine": "naive"}
        later = lambda i: self.service.ask_later("density", {**work, "bandwidth": 0.2 + i / 100})
        jobs, refused = ask_until_refused(10, later)
        self.problem(refused, 503, "busy")
        self.assertGreater(int(refused.headers["retry-after"]), 0)
        for job in jobs:
            self.service.call("DELETE", f"/jobs/{job}")
        codes, jobs = burst(self.service, 20, lambda i: {**work, "bandwidth": 0.6 + i / 100})
        self.assertEqual(codes, {201: 2, 503: 18})
        for job in [*jobs, first]:
            self.service.call("DELETE", f"/jobs/{job}")


def ask_until_refused(most, ask):
    """Returns the IDs of the jobs, and the first other answer."""
    jobs = []
    for number in range(most):
        answer = ask(number)
        if answer.status != 201:
            return jobs, answer
        jobs.append(answer.json()["jobID"])
    return jobs, None


def burst(service, count, inputs_of, token=None):
    """Requests `count` jobs at once; returns the number of answers by status, and the IDs of the jobs."""
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        answers = list(pool.map(lambda number: service.ask_later("density", inputs_of(number), token), range(count)))
    return (dict(collections.Counter(answer.status for answer in answers)),
            [answer.json()["jobID"] for answer in answers if answer.status == 201])


class TurnsTest(ServiceTest):
    """Two tokens share a service."""

    @classmethod
    def setUpClass(cls):
        cls.many, cls.few = "m" * 32, "f" * 32
        tokens = write_file(cls.class_folder() + "/tokens", f"{cls.many} many\n{cls.few} few\n")
        cls.flags = ("--token-file", tokens, "--token-jobs", "9", "--token-bytes", "2M")
        super().setUpClass()

    def call(self, token, method, path, *more, **named):
        return self.service.call(method, path, *more, token=token, **named)

    def cloud_of(self, token, data):
        answer = self.call(token, "POST", "/clouds?name=a.csv", data.encode())
        self.assertEqual(answer.status, 201)
        return answer.json()["id"]

    def test_one_token_with_many_jobs_keeps_no_other_waiting(self):
        mine, other = self.cloud_of(self.many, grid_points(20000)), self.cloud_of(self.few, grid_points(50))
        work = {"cloud": mine, "dims": 256, "engine": "naive"}
        _, (first,) = burst(self.service, 1, lambda i: work, self.many)
        codes, jobs = burst(self.service, 40, lambda i: {"cloud": mine, "dims": 40 + i}, self.many)
        self.assertEqual(codes, {201: 8, 429: 32})
        codes, late = burst(self.service, 1, lambda i: {"cloud": other, "dims": 9}, self.few)
        self.assertEqual(codes, {201: 1})
        status = self.call(self.few, "GET", f"/jobs/{late[0]}").json()
        self.assertLessEqual(status["queuePosition"], 2)
        self.assertEqual(self.call(self.many, "DELETE", f"/jobs/{first}").status, 200)
        self.assertEqual(self.call(self.few, "GET", f"/clouds/{other}").status, 200)
        begun = [self.ended(self.many, job)["started"] for job in jobs]
        self.assertLessEqual(sum(start < self.ended(self.few, late[0])["started"] for start in begun), 1)

    def test_a_long_run_of_one_token_keeps_no_short_one_of_another_waiting(self):
        mine, other = self.cloud_of(self.many, grid_points(20000)), self.cloud_of(self.few, grid_points(60))
        work = {"cloud": mine, "dims": 400, "engine": "naive"}
        _, (long,) = burst(self.service, 1, lambda i: work, self.many)
        state = lambda: self.call(self.many, "GET", f"/jobs/{long}").json()["status"]
        self.until(lambda: state() == "running")
        self.assertEqual(self.call(self.few, "GET", f"/clouds/{other}").status, 200)
        self.assertEqual(self.call(self.few, "GET", f"/clouds/{other}/points").status, 200)
        _, (short,) = burst(self.service, 1, lambda i: {"cloud": other, "dims": 9}, self.few)
        self.ended(self.few, short)
        self.assertEqual(self.service.run_now("density", {"cloud": other, "dims": 8}, token=self.few).status, 200)
        self.assertEqual(state(), "running")
        self.assertEqual(self.call(self.many, "DELETE", f"/jobs/{long}").status, 200)

    def ended(self, token, job):
        status = lambda: self.call(token, "GET", f"/jobs/{job}").json()
        self.until(lambda: status()["status"] not in ("accepted", "running"))
        self.assertEqual(status()["status"], "successful")
        return status()

    def test_a_cloud_that_jobs_wait_for_is_not_deleted(self):
        mine = self.cloud_of(self.few, grid_points(20000, seed=2))
        _, jobs = burst(self.service, 1, lambda i: {"cloud": mine, "dims": 256, "engine": "naive"}, self.few)
        problem = self.problem(self.call(self.few, "DELETE", f"/clouds/{mine}"), 409, "request")
        self.assertTrue(problem["suggestion"])
        self.assertEqual(self.call(self.few, "DELETE", f"/jobs/{jobs[0]}").status, 200)
        self.assertEqual(self.call(self.few, "DELETE", f"/clouds/{mine}").status, 204)


class BytesTest(ServiceTest):
    flags = ("--token-bytes", "2M")
    megabyte = b"1 2 3\n" * 170000

    def clear(self):
        for cloud in self.service.call("GET", "/clouds").json()["clouds"]:
            self.service.call("DELETE", f"/clouds/{cloud['id']}")

    def at_once(self, count, work):
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            return collections.Counter(pool.map(lambda _: work(), range(count)))

    def chunked(self):
        """Returns the status of an upload without a stated length, which pauses in the middle."""
        half = len(self.megabyte) // 2

        def pieces():
            yield self.megabyte[:half]
            time.sleep(0.3)
            yield self.megabyte[half:]
        try:
            return self.service.call("POST", "/clouds?name=a.csv", pieces()).status
        except OSError:  # refused before all was sent
            return 413

    def test_uploads_side_by_side_keep_to_the_limit(self):
        self.assertEqual(self.at_once(6, lambda: self.service.call("POST", "/clouds", self.megabyte).status),
                         {201: 2, 413: 4})
        self.clear()
        statuses = self.at_once(6, self.chunked)
        self.assertLessEqual(statuses[201], 2)
        self.assertEqual(statuses[201] + statuses[413], 6)
        self.clear()

    def test_uploads_in_pieces_count_from_their_begin(self):
        headers = {**TUS, "Upload-Length": str(len(self.megabyte))}
        create = lambda: self.service.call("POST", "/uploads", headers=headers)
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            answers = list(pool.map(lambda _: create(), range(6)))
        self.assertEqual(sorted(answer.status for answer in answers), [201] * 2 + [413] * 4)
        made = [answer.headers["location"] for answer in answers if answer.status == 201]
        self.problem(self.service.call("POST", "/clouds", self.megabyte), 413, "limit")
        self.assertEqual(self.service.call("PATCH", made[0], self.megabyte, {**PIECE, "Upload-Offset": "0"}).status, 204)
        self.assertEqual(create().status, 413)
        self.assertEqual(self.service.call("DELETE", made[1], headers=TUS).status, 204)
        self.assertEqual(self.service.call("POST", "/clouds", self.megabyte).status, 201)
        self.clear()


class SlowClientTest(ServiceTest):
    flags = ("--header-time", "0.5", "--idle-time", "1", "--connections", "30")

    def test_silence_ends_the_connection(self):
        for text in ("", HEAD.format("POST /clouds") + "Content-Length: 1000\r\n\r\n1 2 3"):
            with self.service.dial(text) as end:
                read_all(end)

    def test_too_many_connections_are_told_so(self):
        ends = [self.service.dial() for _ in range(40)]
        answers = [end.recv(65536)[:12] for end in ends[-5:]]
        for end in ends:
            end.close()
        self.assertIn(b"HTTP/1.1 503", answers)

    def test_headers_and_texts_have_their_time_in_all(self):
        body = "Content-Length: 1000\r\n\r\n"
        for text in ("GET / HTTP/1.1\r\n", HEAD.format("POST /").replace("TOKEN", "x") + body,
                     HEAD.format("POST /processes/echo/execution") + body):
            with self.service.dial(text) as end:
                begin = time.monotonic()
                with contextlib.suppress(OSError):
                    while time.monotonic() < begin + PATIENCE:  # a byte now and then does not help
                        end.sendall(b"X")
                        time.sleep(0.05)
                self.assertLess(time.monotonic() - begin, 10)


class StartTest(OwnServices):
    def test_flags_are_checked(self):
        for flags, told in (((), "--data"), (("--data", "/nonexistent", "--listen", "0.0.0.0:0"), "--token-file"),
                            (("--data", "/tmp", "--listen", "nowhere"), "listen"), (("--data", "/tmp", "--listne", "a"), "--listen")):
            code, text = self.refused(*flags)
            self.assertEqual((code, len(text.strip().splitlines())), (2, 1), text)
            self.assertIn(told, text)


if __name__ == "__main__":
    main()
