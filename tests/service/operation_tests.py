"""What those who run skde-serve rely on: signals, the access log, metrics, a folder that others use, a locked table."""

import json
import os
import re
import shutil
import signal
import sqlite3
import stat
import threading
import time

from service_process import PATIENCE, OwnServices, grid_points, main, write_file

SPLATS = ("x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2", "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1",
          "rot_2", "rot_3")


class OperationTest(OwnServices):
    def test_hangup_reads_the_tokens_again(self):
        first, second = "a" * 20, "b" * 20
        path = self.token_file(f"{first} ann")
        service = self.started("--token-file", path)
        cloud = service.call("POST", "/clouds?name=a.csv", grid_points(5).encode(), token=first).json()["id"]
        status = lambda token: service.call("GET", f"/clouds/{cloud}/content", token=token).status
        self.assertEqual((status(first), status(second)), (200, 401))
        for text, then in ((f"{second} ann\n", (401, 200)), ("short\n", (401, 200)), (f"{first} bob\n{second} ann\n", (404, 200))):
            write_file(path, text)
            service.process.send_signal(signal.SIGHUP)
            if text != "short\n":
                self.until(lambda: (status(first), status(second)) == then)
            time.sleep(0.2)
            self.assertEqual((status(first), status(second)), then, text)
        self.assertIsNone(service.process.poll())

    def test_the_access_log_has_a_line_a_request_and_is_rotated(self):
        folder = self.new_folder()
        path, moved = os.path.join(folder, "access"), os.path.join(folder, "access.1")
        service = self.started("--access-log", path)
        data = grid_points(40)
        cloud = service.add_cloud(data, "secret.csv")
        content = service.call("GET", f"/clouds/{cloud}/content")
        job = service.finish("echo", {"a": 1})
        self.assertEqual(service.call("GET", "/jobs", token="x" * 20).status, 401)
        os.rename(path, moved)
        service.call("GET", "/nowhere")
        service.process.send_signal(signal.SIGHUP)
        self.until(lambda: os.path.exists(path))
        service.call("GET", "/processes")
        self.until(lambda: os.path.getsize(path) > 0)  # the client has the answer before the line is written
        lines = {}
        for name in (moved, path):
            with open(name, encoding="ascii") as file:
                lines[name] = [json.loads(line) for line in file]
        self.assertEqual([(line["path"], line["status"]) for line in lines[path]], [("/processes", 200)])
        old = lines[moved]
        self.assertEqual((old[-1]["path"], old[-1]["status"]), ("/nowhere", 404))
        for line in old:
            self.assertEqual(list(line), ["time", "owner", "method", "path", "status", "bytes", "ms", "job"])
            self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
            self.assertTrue(0 <= line["ms"] < 1000 * PATIENCE and "secret" not in line["path"])
        of = lambda **wanted: [line for line in old if all(line[name] == value for name, value in wanted.items())]
        added, = of(method="POST", path="/clouds")
        self.assertEqual((added["status"], added["owner"], added["job"]), (201, "owner", None))
        sent, = of(path=f"/clouds/{cloud}/content")
        self.assertTrue(len(content.body) < sent["bytes"] < len(content.body) + 1000)
        made, = of(path="/processes/echo/execution")
        self.assertEqual((made["status"], made["job"]), (201, job))
        self.assertTrue(all(line["job"] == job for line in old if job in line["path"]))
        refused, = of(status=401)
        self.assertIsNone(refused["owner"])

    def test_a_log_that_cannot_be_written_is_refused(self):
        folder = self.new_folder()
        with self.assertRaisesRegex(AssertionError, "no address"):
            self.started("--access-log", "/nowhere/access", folder=folder)

    def test_metrics_count_answers_and_tell_of_the_process(self):
        service = self.started()
        value = service.metric
        for _ in range(3):
            service.call("GET", "/nowhere")
        self.assertEqual(value('skde_http_answers_total{status="404"}'), 3)
        with open(f"/proc/{service.process.pid}/status", encoding="ascii") as file:
            resident = 1024 * int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])
        self.assertLess(abs(value("process_resident_memory_bytes") / resident - 1), 0.3)
        self.assertLess(abs(value("process_open_fds") - len(os.listdir(f"/proc/{service.process.pid}/fd"))), 6)
        self.assertLess(abs(value("process_start_time_seconds") - time.time()), 2 * PATIENCE)
        self.assertGreater(value("process_cpu_seconds_total"), 0)

    def test_a_folder_that_others_use_keeps_its_mode(self):
        folder = self.new_folder()
        os.chmod(folder, 0o1777)
        write_file(os.path.join(folder, "others.txt"), "x")
        mode = lambda name="": stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode)
        for _ in range(2):
            service = self.started(folder=folder)
            self.assertEqual((mode(), mode("clouds"), mode("service.sqlite")), (0o1777, 0o700, 0o600))
            service.end()
        os.remove(os.path.join(folder, "others.txt"))
        self.started(folder=folder)
        self.assertEqual(mode(), 0o1700)

    def test_a_locked_table_is_waited_for(self):
        service = self.started()
        table = sqlite3.connect(os.path.join(service.folder, "service.sqlite"), isolation_level=None, check_same_thread=False)
        for held, status in ((0.5, 201), (7, 503)):
            table.execute("BEGIN IMMEDIATE")
            release = threading.Timer(held, lambda: table.execute("ROLLBACK"))
            release.start()
            answer = service.call("POST", "/clouds?name=a.csv", grid_points(5).encode())
            self.assertEqual(answer.status, status, answer.body)
            release.join()
        self.assertEqual((answer.json()["kind"], answer.headers["retry-after"]), ("busy", "5"))
        self.assertIn("another program", answer.json()["detail"])
        service.add_cloud(grid_points(5))

    def test_a_copy_that_is_made_as_the_documents_say_has_everything(self):
        service = self.started()
        job = service.finish("density", {"cloud": service.add_cloud(grid_points(50)), "dims": 8})
        volume = service.result(job).body
        clouds, ends = {}, threading.Event()

        def add():
            while not ends.is_set():
                data = grid_points(20, seed=len(clouds))
                clouds[service.add_cloud(data)] = data

        adding = threading.Thread(target=add)
        adding.start()
        self.addCleanup(adding.join)
        self.addCleanup(ends.set)
        self.until(lambda: len(clouds) > 20)
        copy = self.new_folder()
        copy_files = lambda: [shutil.copytree(os.path.join(service.folder, name), os.path.join(copy, name), dirs_exist_ok=True,
                                              ignore=shutil.ignore_patterns("*.part"))
                              for name in ("clouds", "results")]
        shutil.copy(os.path.join(service.folder, "token"), copy)
        before = dict(clouds)
        copy_files()
        self.until(lambda: len(clouds) > len(before) + 5)
        with sqlite3.connect(os.path.join(service.folder, "service.sqlite")) as table, \
                sqlite3.connect(os.path.join(copy, "service.sqlite")) as other:
            table.backup(other)
        copy_files()
        ends.set()
        adding.join()
        restored = self.started(folder=copy)
        self.assertEqual(restored.result(job).body, volume)
        listed = [cloud["id"] for cloud in restored.call("GET", "/clouds").json()["clouds"]]
        self.assertLessEqual(set(before), set(listed))
        for cloud in listed:
            self.assertEqual(restored.call("GET", f"/clouds/{cloud}/content").status, 200)
        for cloud, data in before.items():
            self.assertEqual(restored.content(cloud), data.encode())

    def test_what_was_set_aside_goes_with_time(self):
        service = self.started()
        service.end()
        stray = write_file(os.path.join(service.folder, "clouds", "0123.csv"), "1 2 3\n")
        os.utime(stray, (0, 0))  # the time of the move counts
        service.start()
        aside = os.path.join(service.folder, "aside", "clouds", "0123.csv")
        self.assertTrue(os.path.exists(aside))
        service.end()
        service.flags = ("--keep", str(3 / 86400))
        service.start()
        time.sleep(1)
        self.assertTrue(os.path.exists(aside))
        self.until(lambda: not os.path.exists(aside))

    def test_splats_are_converted_and_fitted(self):
        import struct
        rows = [(i % 5, i // 5 % 4, i / 7, 0.1, 0.2, 0.3, 1.0, -2.0, -2.5, -3.0, 1, 0, 0, 0) for i in range(40)]
        head = "ply\nformat binary_little_endian 1.0\nelement vertex 40\n" + "".join(f"property float {name}\n" for name in SPLATS)
        service = self.started()
        scene = service.add_cloud(head.encode() + b"end_header\n" + b"".join(struct.pack("<14f", *row) for row in rows), "scene.ply")
        answer = service.run_now("convert", {"volume": scene, "format": "splat"}, outputs={"volume": {}})
        self.assertEqual((answer.status, len(answer.body)), (200, 32 * 40))
        places = sorted(struct.unpack_from("<3f", answer.body, 32 * i) for i in range(40))
        for found, row in zip(places, sorted(rows)):
            for value, wanted in zip(found, row):
                self.assertAlmostEqual(value, wanted, places=5)
        cloud = service.add_cloud(grid_points(300))
        fitted = service.run_now("fit", {"cloud": cloud, "members": 2, "dims": 8, "steps": 20, "format": "spz"}, outputs={"mixture": {}})
        self.assertEqual((fitted.status, fitted.body[:2]), (200, b"\x1f\x8b"))


if __name__ == "__main__":
    main()
