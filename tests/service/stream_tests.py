"""Results for one client: sent while they are written, in fewer bits and packed, and kept by nobody."""

import io
import json
import os
import shutil
import struct
import subprocess
import time
import unittest
import zlib

from service_process import HEAD, JSON, ServiceTest, grid_points, main, until

try:
    import numpy as np
except ImportError:
    np = None

NO_STORE = {"Cache-Control": "no-store"}


@unittest.skipUnless(np, "SKIPPED: there is no numpy")
class StreamTest(ServiceTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cloud = cls.service.add_cloud(grid_points(500))

    def setUp(self):
        self.results = os.listdir(self.service.folder + "/results")

    def ask(self, inputs, headers=None, **more):
        body = {"inputs": {"cloud": self.cloud, "format": "npy", **inputs}, "outputs": {"volume": {}}, **more}
        return self.service.call("POST", "/processes/density/execution", body, {**JSON, **NO_STORE, **(headers or {})})

    def volume(self, inputs, headers=None):
        answer = self.ask(inputs, headers)
        self.assertEqual(answer.status, 200, answer.body[:300])
        return np.load(io.BytesIO(answer.body)), json.loads(answer.headers["skde-description"])

    def begin(self, inputs, room=None):
        """Sends a request, and returns the connection."""
        body = json.dumps({"inputs": {"cloud": self.cloud, "format": "npy", **inputs}, "outputs": {"volume": {}}})
        head = HEAD.format("POST /processes/density/execution") + "Cache-Control: no-store\r\nConnection: close\r\n"
        return self.service.dial(f"{head}Content-Length: {len(body)}\r\n\r\n{body}", room)

    def require_nothing_left(self):
        until(lambda: not os.listdir(self.service.folder + "/work"), "the folders of runs stay")
        self.assertEqual(os.listdir(self.service.folder + "/results"), self.results)
        self.assertEqual(self.service.call("GET", "/jobs").json()["jobs"], [])

    def test_narrow_values_are_within_the_stated_error(self):
        signed = "x,y,z,w\n" + "".join(f"{i % 7},{i % 5},{i % 3},{(-1) ** i * (i + 1)}\n" for i in range(40))
        clouds = {"many": self.cloud, "one": self.service.add_cloud("0.25,0.5,0.75\n", "one.xyz"),
                  "far": self.service.add_cloud("1e6,2e6,-3e6\n1e6,2e6,-3e6\n", "far.xyz"),
                  "signed": self.service.add_cloud(signed, "signed.csv")}
        cases = [("many", {"bandwidth": 0.3}), ("many", {"bandwidth": 0.1, "precision": "f64"}),
                 ("many", {"bandwidth": 0.4, "bounds": "0.9,0.9,0.9:1.9,1.9,1.9"}),
                 ("one", {"bandwidth": "0.2,0.3,0.4"}),
                 ("far", {"bandwidth": "1e13,2e13,1e13", "bounds": "-1e14,-1e14,-1e14:1e14,1e14,1e14"}),
                 ("signed", {"bandwidth": "2,2,2", "weights": "w", "signed-weights": True})]
        for name, inputs in cases:
            inputs = {"cloud": clouds[name], "dims": 20, **inputs}
            whole, facts = self.volume(inputs)
            self.assertNotIn("scale", facts)
            for word, kinds in (("f16", ("f16",)), ("u8", ("u8", "i8"))):
                for headers in ({}, {"Cache-Control": "max-age=1"}):  # streamed, and from a file
                    stored, facts = self.volume({**inputs, "stored-as": word}, headers)
                    self.assertIn(facts["stored_as"], kinds)
                    self.assertEqual(stored.dtype, {"f16": "<f2", "u8": "u1", "i8": "i1"}[facts["stored_as"]])
                    error = np.abs(stored.astype(float) * facts["scale"] - whole)
                    self.assertLessEqual(error.max(), facts["rounding_error"], (name, word))
                    self.assertLess(facts["rounding_error"], np.abs(whole).max() / (1500 if word == "f16" else 240))
                    if word == "f16":
                        self.assertTrue((error <= np.abs(whole) * 2**-10.9 + facts["scale"] * 2**-24).all(), name)

    def test_only_what_serves_is_asked_for(self):
        for inputs in ({"stored-as": "f16", "format": "vti"}, {"stored-as": "f8"}):
            self.problem(self.ask({"dims": 8, **inputs}), 400, "usage")
        for stored in ({}, {"stored-as": "u8"}):  # no kernel covers a cell
            self.problem(self.ask({"bandwidth": 0.1, "bounds": "8,8,8:9,9,9", **stored}), 422, "input")
        wide = self.ask({"dims": 8}).body
        for coding in ("gzip", "zstd;q=0", "zstdx", "", ","):
            answer = self.ask({"dims": 8}, {"Accept-Encoding": coding})
            self.assertEqual((answer.body, "content-encoding" in answer.headers), (wide, False))
        self.assertEqual(self.ask({"dims": 8}, response="document").json()["volume"]["encoding"], "base64")
        self.assertEqual(self.service.call("POST", "/processes/density/execution", {"inputs": {"cloud": self.cloud}}, NO_STORE,
                                           token="x" * 32).status, 401)
        self.require_nothing_left()

    def test_zstd_where_it_is_accepted(self):
        if not shutil.which("zstd"):
            self.skipTest("SKIPPED: there is no zstd")
        for dims in (1, 8, 200):
            wide, packed = self.ask({"dims": dims}), self.ask({"dims": dims}, {"Accept-Encoding": "gzip, zstd;q=0.5"})
            self.assertEqual((packed.headers["content-encoding"], packed.headers["transfer-encoding"]), ("zstd", "chunked"))
            unpacked = subprocess.run(["zstd", "-dc"], input=packed.body, capture_output=True, check=True).stdout
            self.assertEqual(unpacked, wide.body)

    def test_slow_clients_get_all_and_keep_no_worker(self):
        whole = self.ask({"dims": 180}).body
        with self.begin({"dims": 180}, 4096) as slow:
            self.assertTrue(slow.recv(1))
            time.sleep(1.5)
            self.assertEqual(self.ask({"dims": 8}).status, 200)  # by the same worker
            text = b""
            while piece := slow.recv(1 << 20):
                text += piece
        self.assertEqual(zlib.crc32(text[text.index(b"\r\n\r\n") + 4:]), zlib.crc32(whole))
        self.require_nothing_left()

    def test_who_goes_leaves_nothing(self):
        for after in (0, 1, 1 << 20):
            with self.begin({"dims": 180}, 4096) as client:
                there = 0
                while there < after:
                    there += len(client.recv(min(after, 1 << 16)))
                client.setsockopt(1, 13, struct.pack("ii", 1, 0))  # SO_LINGER: closes by a reset
            self.require_nothing_left()
        self.assertEqual(self.ask({"dims": 8}).status, 200)

    def test_a_crash_is_no_whole_body(self):
        with self.begin({"dims": 180}, 4096) as client:
            self.assertTrue(client.recv(1))
            os.kill(self.service.workers()[0], 9)
            length = 0
            while piece := client.recv(1 << 20):
                length += len(piece)
        self.assertLess(length, 4 * 180**3)
        until(lambda: self.ask({"dims": 8}).status == 200)
        self.require_nothing_left()


class KeptAfterwardsTest(ServiceTest):
    def test_a_job_gets_the_result_of_a_client(self):
        cloud = self.service.add_cloud(grid_points(300))
        body = self.service.run_now("density", {"cloud": cloud, "dims": 8}, outputs={"volume": {}}).body
        job = self.service.finish("density", {"cloud": cloud, "dims": 8})
        self.assertTrue(self.service.status(job)["cacheHit"])
        self.service.again()
        self.assertEqual(self.service.result(job).body, body)

    def test_formats_of_one_extension_differ(self):
        cloud = self.service.add_cloud(grid_points(300))
        sizes = [len(self.service.run_now("density", {"cloud": cloud, "format": name}, outputs={"volume": {}}).body)
                 for name in ("vti", "vti-zlib")]
        self.assertLess(sizes[1], sizes[0])


if __name__ == "__main__":
    main()
