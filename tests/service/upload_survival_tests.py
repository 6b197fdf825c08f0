"""Acknowledged uploads of skde-serve survive its end, a full disk, and the loss of its table."""

import os
import random
import resource
import shutil
import sqlite3
import time

from service_process import OwnServices, Pieces, Service, ServiceTest, grid_points, main, write_file

DAY = 86400000  # milliseconds


class UploadSurvivalTest(OwnServices):
    def path(self, service, *names):
        return os.path.join(service.folder, *names)

    def table(self, service):
        table = sqlite3.connect(self.path(service, "service.sqlite"), isolation_level=None)
        self.addCleanup(table.close)
        return table

    def test_an_end_on_the_way_from_an_upload_to_a_cloud_loses_no_byte(self):
        service = self.started()
        data = grid_points(2000).encode()
        upload = Pieces(service, len(data))
        self.assertEqual(upload.send(data[:-1], 0), 204)
        service.kill()
        # The state after the file was moved to the clouds but before the table was updated.
        with open(self.path(service, "incoming", upload.id), "ab") as file:
            file.write(data[-1:])
        os.rename(self.path(service, "incoming", upload.id), self.path(service, "clouds", upload.id + ".csv"))
        service.start()
        self.assertEqual(upload.offset(), len(data) - 1)
        self.assertEqual(upload.send(data[-1:], len(data) - 1), 204)
        self.assertEqual(service.content(upload.id), data)
        self.assertEqual(upload.offset(), len(data))

    def test_kills_in_the_last_piece_lose_nothing(self):
        service = self.started()
        chance = random.Random(3)
        for _ in range(6):
            data = chance.randbytes(500000)
            upload = Pieces(service, len(data), "some.bin")
            self.assertEqual(upload.send(data[:-100], 0), 204)
            connection = service.connect()
            connection.putrequest("PATCH", upload.place)
            for name, value in (("Authorization", "Bearer " + service.token), ("Tus-Resumable", "1.0.0"),
                                ("Content-Type", "application/offset+octet-stream"),
                                ("Upload-Offset", str(len(data) - 100)), ("Content-Length", "100")):
                connection.putheader(name, value)
            connection.endheaders(data[-100:])
            time.sleep(chance.uniform(0, 0.006))
            service.kill()
            connection.close()
            service.start()
            offset = upload.offset()
            if offset < len(data):
                self.assertGreaterEqual(offset, len(data) - 100)
                self.assertEqual(service.call("GET", f"/clouds/{upload.id}/content").status, 404)
                self.assertEqual(upload.send(data[offset:], offset), 204)
            self.assertEqual(service.content(upload.id), data)

    def test_a_cloud_is_no_upload(self):
        service = self.started()
        data = grid_points(50).encode()
        cloud = service.add_cloud(data)
        service.kill()
        self.table(service).execute("INSERT INTO uploads (id, name, length, owner, created) VALUES (?, ?, ?, ?, ?)",
                                    (cloud, "points.csv", len(data), "owner", int(time.time() * 1000)))
        service.start()
        upload = Pieces(service, len(data))
        upload.place = f"/uploads/{cloud}"
        self.assertEqual(upload.offset(), len(data))  # it is complete, and no more pieces are accepted
        self.assertEqual(upload.send(b"x" * len(data), 0), 404)
        self.assertEqual(service.content(cloud), data)

    def test_a_disk_that_is_full_at_the_last_byte_loses_none(self):
        service = self.started()
        data = grid_points(30).encode()
        upload = Pieces(service, len(data))
        self.assertEqual(upload.send(data[:-1], 0), 204)
        for _ in range(20):  # grow the log of the table past the limit set below, to simulate a full disk
            service.run_later("echo", {"a": 1})
        log = os.path.getsize(self.path(service, "service.sqlite-wal"))
        self.assertGreater(log, 4 * len(data))
        none, limits = resource.RLIM_INFINITY, (log // 2, resource.RLIM_INFINITY)
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, limits)
        self.assertEqual(upload.send(data[-1:], len(data) - 1), 507)
        self.assertEqual(service.call("GET", f"/clouds/{upload.id}").status, 404)
        self.assertEqual(upload.offset(), len(data) - 1)
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, (none, none))
        service.again()
        self.assertEqual(upload.offset(), len(data) - 1)
        self.assertEqual(upload.send(data[-1:], len(data) - 1), 204)
        self.assertEqual(service.content(upload.id), data)

    def test_a_disk_that_is_full_is_made_room_on(self):
        import subprocess
        own_disk = write_file(  # called with --data FOLDER ...
            os.path.join(self.new_folder(), "serve"), "#!/bin/sh\nexec unshare --user --map-root-user --mount sh -c "
            f"'mount -t tmpfs -o size=3m disk $2 && exec {ServiceTest.program} \"$@\"' serve \"$@\"\n", 0o700)
        if subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "true"], check=False).returncode != 0:
            self.skipTest("nobody but root makes a disk here")
        service = Service(own_disk)
        self.addCleanup(service.close)
        cloud = service.add_cloud(grid_points(10000))
        with open(f"/proc/{service.process.pid}/root{service.folder}/filler", "wb", buffering=0) as file:
            with self.assertRaises(OSError):
                while True:
                    file.write(bytes(4096))
        answers = []
        while not answers or answers[-1] == 201:
            answers.append(service.ask_later("echo", {"a": "x" * 5000}).status)
        self.assertEqual(answers[-1], 507)
        self.assertEqual(service.call("DELETE", f"/clouds/{cloud}").status, 204)
        self.assertEqual(service.call("GET", f"/clouds/{cloud}").status, 404)
        service.finish("echo", {"a": 1})

    def test_without_its_table_nothing_is_removed(self):
        service = self.started()
        clouds = {service.add_cloud(data): data for data in (grid_points(20, seed=i).encode() for i in range(3))}
        upload = Pieces(service, 1000)
        self.assertEqual(upload.send(b"1 2 3\n" * 10, 0), 204)
        service.end()
        kept = self.path(service, "kept")
        os.mkdir(kept)
        for name in os.listdir(service.folder):
            if name.startswith("service.sqlite"):
                os.rename(self.path(service, name), os.path.join(kept, name))
        write_file(self.path(service, "incoming", "0123.part"), "of an upload that broke off")
        service.start()
        self.assertEqual(service.call("GET", "/clouds").json()["clouds"], [])
        self.assertEqual(set(os.listdir(self.path(service, "aside", "clouds"))), {name + ".csv" for name in clouds})
        self.assertEqual(os.listdir(self.path(service, "aside", "incoming")), [upload.id])
        self.assertEqual(os.listdir(self.path(service, "incoming")), [])
        new = service.add_cloud(b"1 2 3\n4 5 6\n")
        service.end()
        for name in os.listdir(service.folder):  # the table is found again
            if name.startswith("service.sqlite"):
                os.remove(self.path(service, name))
        for name in os.listdir(kept):
            os.rename(os.path.join(kept, name), self.path(service, name))
        service.start()
        for cloud, data in clouds.items():
            self.assertEqual(service.content(cloud), data)
        self.assertEqual(upload.offset(), 60)
        self.assertEqual(os.listdir(self.path(service, "aside", "clouds")), [new + ".csv"])

    def test_a_table_that_is_broken_is_told_and_nothing_is_removed(self):
        service = self.started()
        data = grid_points(20).encode()
        cloud = service.add_cloud(data)
        service.end()
        shutil.copy(self.path(service, "service.sqlite"), self.path(service, "kept"))
        broken = {"garbage": lambda file: file.write(os.urandom(8192)),
                  "a page of zeros": lambda file: (file.seek(4096), file.write(bytes(4096)))}
        for name, spoil in broken.items():
            with self.subTest(name):
                with open(self.path(service, "service.sqlite"), "r+b") as file:
                    spoil(file)
                code, text = self.refused("--data", service.folder, "--listen", "127.0.0.1:0")
                self.assertNotEqual(code, 0)
                self.assertRegex(text, r"service\.sqlite: .*'\.recover'")
                self.assertEqual(os.listdir(self.path(service, "clouds")), [cloud + ".csv"])
                shutil.copy(self.path(service, "kept"), self.path(service, "service.sqlite"))
        service.start()
        self.assertEqual(service.content(cloud), data)

    def test_the_last_use_of_a_cloud_outlives_the_service(self):
        service = self.started("--keep", "1")
        cloud = service.add_cloud(grid_points(20))
        service.end()
        long_ago = int(time.time() * 1000) - 10 * DAY
        self.table(service).execute("UPDATE clouds SET created = ?, used = ?", (long_ago, long_ago))
        service.start()
        self.assertEqual(service.call("GET", f"/clouds/{cloud}").status, 200)
        service.end()
        (created, used), = self.table(service).execute("SELECT created, used FROM clouds")
        self.assertEqual(created, long_ago)
        self.assertGreater(used, time.time() * 1000 - 60000)

    def test_a_clock_far_ahead_removes_nothing(self):
        service = self.started("--keep", "0.0002")  # 17 s, in days; checked every 9 s
        cloud = service.add_cloud(grid_points(20))
        job = service.finish("density", {"cloud": cloud, "dims": 8})
        service.end()
        table = self.table(service)
        for times in ("clouds SET created = created - ?1, used = used - ?1",
                      "jobs SET created = created - ?1, started = started - ?1, finished = finished - ?1",
                      "served SET began = began - ?1, last = last - ?1"):
            table.execute("UPDATE " + times, (40 * DAY,))
        table.close()
        result, = os.listdir(self.path(service, "results"))
        long_ago = time.time() - 40 * DAY / 1000
        os.utime(self.path(service, "results", result), (long_ago, long_ago))
        service.start()
        time.sleep(1)
        for path in (f"/clouds/{cloud}/content", f"/jobs/{job}/results/volume"):
            self.assertEqual(service.call("GET", path).status, 200)


if __name__ == "__main__":
    main()
