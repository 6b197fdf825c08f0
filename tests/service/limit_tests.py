"""What skde-serve lets nobody do: come without a token, be slow for ever, ask for too much."""

import socket
import subprocess
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

    def test_the_page_says_where_it_is_not_built_in(self):
        answer = self.service.call("GET", "/view")
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
        """What a connection answers to these bytes, to its end."""
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
