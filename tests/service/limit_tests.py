"""Limits of skde-serve: no requests without a token, no endlessly slow clients, no excessive requests."""

import collections
import concurrent.futures
import os
import socket
import subprocess
import tempfile
import time
import unittest

from service_process import PATIENCE, Service, ServiceTest, grid_points, main


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
        with socket.create_connection((self.service.host, self.service.port), timeout=PATIENCE) as end:
            end.sendall(text)
            end.shutdown(socket.SHUT_WR)
            answer = b""
            while piece := end.recv(65536):
                answer += piece
        return answer

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
        large = self.service.add_cloud(grid_points(20000), "large.csv")
        first = self.service.run_later("density", {"cloud": large, "dims": 400, "engine": "naive"})
        self.service.wait_for(first, "running")
        jobs, refused = [], None
        while refused is None and len(jobs) < 80:
            answer = self.service.call("POST", "/processes/echo/execution",
                                       {"inputs": {"a": [len(jobs), "x" * 1000000]}}, {"Prefer": "respond-async"})
            if answer.status == 201:
                jobs.append(answer.json()["jobID"])
            else:
                refused = answer
        self.problem(refused, 429, "limit")
        self.assertEqual(len(jobs), 68)
        for job in jobs:
            self.service.call("DELETE", f"/jobs/{job}")
        self.service.wait_for(self.service.run_later("echo", {"a": "x" * 1000000}), "accepted")
        self.service.call("DELETE", f"/jobs/{first}")


class QueueTest(ServiceTest):
    flags = ("--queue", "2", "--token-jobs", "50")

    def test_a_full_queue_says_when_to_come_again(self):
        large = self.service.add_cloud(grid_points(20000), "large.csv")
        jobs, refused = [], None
        for i in range(10):
            answer = self.service.call("POST", "/processes/density/execution", {"inputs": {
                "cloud": large, "dims": 256, "engine": "naive", "bandwidth": 0.2 + i / 100}},
                {"Prefer": "respond-async"})
            if answer.status != 201:
                refused = answer
                break
            jobs.append(answer.json()["jobID"])
        self.problem(refused, 503, "busy")
        self.assertGreater(int(refused.headers["retry-after"]), 0)
        for job in reversed(jobs):
            self.service.call("DELETE", f"/jobs/{job}")


    def test_the_queue_has_its_limit_in_a_burst_too(self):
        large = self.service.add_cloud(grid_points(20000), "large.csv")
        work = {"cloud": large, "dims": 256, "engine": "naive"}
        first = self.service.run_later("density", {**work, "bandwidth": 0.5})
        self.service.wait_for(first, "running")
        codes, jobs = burst(self.service, 20, lambda i: {**work, "bandwidth": 0.6 + i / 100})
        self.assertEqual(codes, {201: 2, 503: 18})
        for job in [*jobs, first]:
            self.service.call("DELETE", f"/jobs/{job}")


def burst(service, count, inputs_of, token=None):
    """Requests `count` jobs at once; returns the number of answers by status, and the IDs of the jobs."""
    def ask(number):
        return service.call("POST", "/processes/density/execution", {"inputs": inputs_of(number)},
                            {"Prefer": "respond-async"}, token)
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        answers = list(pool.map(ask, range(count)))
    return (dict(collections.Counter(answer.status for answer in answers)),
            [answer.json()["jobID"] for answer in answers if answer.status == 201])


class TurnsTest(ServiceTest):
    """Two tokens share a service."""

    @classmethod
    def setUpClass(cls):
        cls.many, cls.few = "m" * 32, "f" * 32
        with tempfile.NamedTemporaryFile("w", suffix=".tokens", delete=False) as file:
            file.write(f"{cls.many} many\n{cls.few} few\n")
        cls.addClassCleanup(os.unlink, file.name)
        cls.flags = ("--token-file", file.name, "--token-jobs", "9", "--token-bytes", "2M")
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
        first = self.call(self.many, "POST", "/processes/density/execution", {"inputs": work},
                          {"Prefer": "respond-async"}).json()["jobID"]
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
        while state() != "running":
            time.sleep(0.02)
        self.assertEqual(self.call(self.few, "GET", f"/clouds/{other}").status, 200)
        self.assertEqual(self.call(self.few, "GET", f"/clouds/{other}/points").status, 200)
        _, (short,) = burst(self.service, 1, lambda i: {"cloud": other, "dims": 9}, self.few)
        self.ended(self.few, short)
        answer = self.call(self.few, "POST", "/processes/density/execution", {"inputs": {"cloud": other, "dims": 8}})
        self.assertEqual(answer.status, 200)
        self.assertEqual(state(), "running")
        self.assertEqual(self.call(self.many, "DELETE", f"/jobs/{long}").status, 200)

    def ended(self, token, job):
        end = time.monotonic() + PATIENCE
        while (status := self.call(token, "GET", f"/jobs/{job}").json())["status"] in ("accepted", "running"):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        self.assertEqual(status["status"], "successful")
        return status

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
        headers = {"Tus-Resumable": "1.0.0", "Upload-Length": str(len(self.megabyte))}
        create = lambda: self.service.call("POST", "/uploads", headers=headers)
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            answers = list(pool.map(lambda _: create(), range(6)))
        self.assertEqual(sorted(answer.status for answer in answers), [201] * 2 + [413] * 4)
        made = [answer.headers["location"] for answer in answers if answer.status == 201]
        self.problem(self.service.call("POST", "/clouds", self.megabyte), 413, "limit")
        piece = {"Tus-Resumable": "1.0.0", "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"}
        self.assertEqual(self.service.call("PATCH", made[0], self.megabyte, piece).status, 204)
        self.assertEqual(create().status, 413)
        self.assertEqual(self.service.call("DELETE", made[1], headers={"Tus-Resumable": "1.0.0"}).status, 204)
        self.assertEqual(self.service.call("POST", "/clouds", self.megabyte).status, 201)
        self.clear()


class SlowClientTest(ServiceTest):
    flags = ("--header-time", "0.5", "--idle-time", "1", "--connections", "30")

    def seconds_until_closed(self, end):
        begin = time.monotonic()
        end.settimeout(PATIENCE)
        while end.recv(65536):
            pass
        return time.monotonic() - begin

    def connect(self):
        return socket.create_connection((self.service.host, self.service.port), timeout=PATIENCE)

    def test_slow_headers_end_the_connection(self):
        with self.connect() as end:
            end.sendall(b"GET / HTTP/1.1\r\n")
            stop = time.monotonic() + PATIENCE
            try:
                while time.monotonic() < stop:  # a byte now and then does not help
                    end.sendall(b"X")
                    time.sleep(0.05)
                    end.setblocking(False)
                    try:
                        if not end.recv(100):
                            break
                    except BlockingIOError:
                        pass
                    finally:
                        end.setblocking(True)
            except OSError:
                pass
            self.assertLess(time.monotonic(), stop)

    def test_silence_ends_the_connection(self):
        with self.connect() as end:
            self.seconds_until_closed(end)
        with self.connect() as end:
            end.sendall(f"POST /clouds HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {self.service.token}\r\n"
                        "Content-Length: 1000\r\n\r\n1 2 3".encode())
            self.seconds_until_closed(end)

    def test_too_many_connections_are_told_so(self):
        ends = [self.connect() for _ in range(40)]
        answers = []
        for end in ends[-5:]:
            answers.append(end.recv(65536)[:12])
        for end in ends:
            end.close()
        self.assertIn(b"HTTP/1.1 503", answers)


    def test_a_text_has_its_time_in_all(self):
        for path, token in (("/", "x"), ("/processes/echo/execution", self.service.token)):
            with self.connect() as end:
                end.sendall(f"POST {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n"
                            "Content-Length: 1000\r\n\r\n".encode())
                begin = time.monotonic()
                try:
                    while time.monotonic() < begin + PATIENCE:  # a byte now and then does not help
                        end.sendall(b" ")
                        time.sleep(0.05)
                except OSError:
                    pass
                self.assertLess(time.monotonic() - begin, 10)


class StartTest(unittest.TestCase):
    def refused(self, *flags):
        run = subprocess.run([ServiceTest.program, *flags], capture_output=True, text=True, timeout=PATIENCE,
                             check=False)
        self.assertEqual(len(run.stderr.strip().splitlines()), 1, run.stderr)
        return run.returncode, run.stderr

    def test_others_than_this_machine_need_tokens(self):
        code, text = self.refused("--data", "/nonexistent", "--listen", "0.0.0.0:0")
        self.assertEqual(code, 2)
        self.assertIn("--token-file", text)

    def test_flags_are_checked(self):
        self.assertEqual(self.refused()[0], 2)
        self.assertEqual(self.refused("--data", "/tmp", "--listen", "nowhere")[0], 2)
        self.assertEqual(self.refused("--data", "/tmp", "--listne", "a")[0], 2)


if __name__ == "__main__":
    main()
