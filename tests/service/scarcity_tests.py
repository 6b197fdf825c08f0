"""skde-serve with little memory and few descriptors: it reports that, and goes on serving what it can."""

import base64
import collections
import concurrent.futures
import contextlib
import http.client
import json
import os
import resource
import signal
import time
import unittest

from service_process import HEAD, OwnServices, ServiceTest, grid_points, main, make_disk_slow


class GiveWayTest(ServiceTest):
    flags = ("--connections", "20")

    def outdone(self, text):
        """Occupies every connection with clients that send only this text; clients with tokens are still served."""
        mine = self.service.connect()  # has sent a valid token
        self.assertEqual(self.service.call("GET", "/jobs", connection=mine).status, 200)
        ends = [mine]
        self.addCleanup(lambda: [end.close() for end in ends])
        for _ in range(19):
            ends.append(self.service.dial(text, 4096))
        time.sleep(1.3)
        for _ in range(5):
            self.assertEqual(self.service.call("GET", "/jobs").status, 200)
        self.assertEqual(self.service.call("GET", "/jobs", connection=mine).status, 200)
        for end in ends:
            end.close()
        self.until(lambda: self.service.metric("skde_http_connections") == 1)

    def test_silent_connections_without_a_token_give_way_to_others(self):
        self.outdone(b"")

    def test_half_a_request_and_answers_that_nobody_reads_keep_nobody_out(self):
        self.outdone(b"GET / HTTP/1.1\r\nHost: a\r\n")
        self.outdone(b"GET /api HTTP/1.1\r\nHost: a\r\n\r\n" * 100)


class ScarceTest(OwnServices):
    def start(self, kind, most):
        return self.started(before=lambda: resource.setrlimit(kind, (most, most)))


class ScarceDescriptorTest(ScarceTest):
    def test_descriptors_that_run_out_cost_no_result_and_no_service(self):
        service = self.start(resource.RLIMIT_NOFILE, 64)
        cloud = service.add_cloud(grid_points(100))
        job = service.finish("density", {"cloud": cloud, "dims": 8})
        mine = service.connect()
        ask = lambda path: service.call("GET", path, connection=mine).status
        self.assertEqual(ask(f"/jobs/{job}/results/volume"), 200)
        ends = []
        for _ in range(60):
            with contextlib.suppress(OSError):
                ends.append(service.dial())
        self.addCleanup(lambda: [end.close() for end in [mine, *ends]])
        for path in (f"/jobs/{job}/results/volume", f"/clouds/{cloud}/content", f"/clouds/{cloud}"):
            self.assertEqual(ask(path), 200)
        os.kill(service.workers()[0], signal.SIGKILL)
        self.until(lambda: ask("/health/ready") == 200)
        self.assertEqual(ask(f"/clouds/{cloud}?columns=x,y,z"), 200)


class ScarceDiskTest(OwnServices):
    @unittest.skipIf("SKDE_SANITIZED" in os.environ, "a run takes longer than the disk, 170 times")
    def test_runs_do_not_pile_up_before_a_slow_disk(self):
        service = self.started()
        cloud = service.add_cloud(grid_points(50))
        begin = time.monotonic()
        for i in range(5):
            service.run_now("density", {"cloud": cloud, "dims": 8, "bandwidth": 0.1 + i / 1000})
        a_run = (time.monotonic() - begin) / 5
        large = service.occupy()
        for i in range(170):
            service.run_later("density", {"cloud": cloud, "dims": 8, "bandwidth": 0.2 + i / 1000})
        make_disk_slow(self, service, int(1e6 * max(0.03, 4 * a_run)))  # an fsync takes longer than a run
        service.call("DELETE", f"/jobs/{large}")
        there = lambda: len(os.listdir(service.folder + "/work"))
        self.until(lambda: there() > 100)
        for _ in range(100):
            self.assertLess(there(), 135)
            time.sleep(0.02)

    def test_what_only_the_cache_keeps_does_not_wait_for_the_disk(self):
        service = self.started()
        cloud = service.add_cloud(grid_points(50))
        make_disk_slow(self, service, 1000000)
        for i in range(20):
            answer = service.run_now("density", {"cloud": cloud, "dims": 8, "bandwidth": 0.2 + i / 1000})
            self.assertEqual((answer.status, answer.headers["skde-cache"]), (200, "miss"))
            self.assertLess(len(os.listdir(service.folder + "/work")), 4)


@unittest.skipIf("SKDE_SANITIZED" in os.environ, "sanitizers take memory and addresses of their own")
class ScarceMemoryTest(ScarceTest):
    def memory(self, service, kind="VmRSS"):
        with open(f"/proc/{service.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(kind)) / 1024  # MiB

    def settles_below(self, service, most):
        """Checks that memory of finished work is released soon."""
        end = time.monotonic() + 10
        while self.memory(service) >= most and time.monotonic() < end:
            time.sleep(0.05)
        self.assertLess(self.memory(service), most)

    def test_documents_that_nobody_reads_are_not_held(self):
        service = self.start(resource.RLIMIT_AS, 1000 << 20)
        cloud = service.add_cloud(grid_points(100))
        body = json.dumps({"inputs": {"cloud": cloud, "dims": [220, 220, 220], "bandwidth": 0.05},
                           "outputs": {"volume": {"transmissionMode": "value"}, "summary": {}},
                           "response": "document"}).encode()
        whole = service.call("POST", "/processes/density/execution", body)
        document = whole.json()
        self.assertEqual(document["volume"]["encoding"], "base64")
        volume = service.run_now("density", {"cloud": cloud, "dims": [220, 220, 220], "bandwidth": 0.05},
                                 outputs={"volume": {}}).body
        self.assertEqual(base64.b64decode(document["volume"]["value"]), volume)
        self.assertEqual(document["summary"]["kind"], "density")
        before = self.memory(service)
        for _ in range(16):
            head = HEAD.format("POST /processes/density/execution") + f"Content-Length: {len(body)}\r\n\r\n"
            end = service.dial(head.encode() + body, 4096)
            self.addCleanup(end.close)
            self.assertTrue(end.recv(100).startswith(b"HTTP/1.1 200 OK"))
        self.settles_below(service, before + 20)

    def test_ended_jobs_keep_no_inputs(self):
        service = self.started()
        ask = lambda i: service.finish("echo", {"a": [i] + [0] * 340000})
        for i in range(3):
            ask(i)
        before = self.memory(service)
        for i in range(3, 15):
            ask(i)
        self.settles_below(service, before + 8)  # their inputs take 12 MiB
        service.again()
        self.settles_below(service, before + 8)

    def test_memory_that_runs_out_is_told_and_the_service_lives(self):
        service = self.started()
        text = json.dumps({"inputs": {"a": "x" * 1000000}}).encode()

        def ask(_):
            try:
                return service.call("POST", "/processes/echo/execution", text).status
            except (OSError, http.client.HTTPException):
                return 0
        worker, = service.workers()
        os.kill(worker, signal.SIGSTOP)  # so that requests pile up
        limit = int((self.memory(service, "VmSize") + 8) * 2**20)
        resource.prlimit(service.process.pid, resource.RLIMIT_AS, (limit, limit))
        with concurrent.futures.ThreadPoolExecutor(60) as pool:
            asked = [pool.submit(ask, i) for i in range(60)]
            end = time.monotonic() + 20
            while time.monotonic() < end and not any(one.done() and one.result() == 503 for one in asked):
                time.sleep(0.05)
            os.kill(worker, signal.SIGCONT)
        statuses = collections.Counter(one.result() for one in asked)
        self.assertLessEqual(set(statuses), {0, 200, 413, 503}, statuses)
        self.assertIn(503, statuses)
        self.assertIsNone(service.process.poll())
        self.assertEqual(service.call("GET", "/jobs").status, 200)

    def test_a_chunk_without_an_end_is_not_held(self):
        service = self.started()
        head = (HEAD.format("POST /processes/echo/execution") + "Transfer-Encoding: chunked\r\n\r\n").encode()
        before = self.memory(service)
        for begin in (b"1;", b"0\r\nX: ", b"0" * 10):
            with service.dial(head + begin) as end, contextlib.suppress(OSError):  # the service stops reading
                for _ in range(640):
                    end.sendall((b"0" if begin == b"0" * 10 else b"a") * 65536)
        self.settles_below(service, before + 10)
        self.assertEqual(service.call("GET", "/jobs").status, 200)


if __name__ == "__main__":
    main()
