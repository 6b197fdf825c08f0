"""skde-serve with a folder that others have changed: damaged results, rows of other versions, orderly restarts."""

import glob
import os
import shutil
import signal
import sqlite3
import subprocess
import unittest

from service_process import PATIENCE, OwnServices, grid_points, main, make_disk_slow, write_file


class DamageTest(OwnServices):
    def setUp(self):
        self.service = self.started("--drain", "0.1")

    def test_orderly_restarts_are_no_crashes(self):
        job = self.service.occupy()
        for _ in range(4):
            status = self.service.wait_for(job, "running")
            self.assertEqual(status["attempts"], 1)
            self.service.again(self.service.end)
        status = self.service.wait_for(job, "running", "accepted")
        self.assertNotIn("exception", status)
        self.service.call("DELETE", f"/jobs/{job}")

    def test_a_job_that_cannot_be_read_is_failed_with_the_reason(self):
        cloud = self.service.add_cloud(grid_points(50))
        done = self.service.finish("density", {"cloud": cloud, "dims": 8}, outputs={"volume": {}})
        volume = self.service.call("GET", f"/jobs/{done}/results").body
        os.kill(self.service.workers()[0], signal.SIGSTOP)
        jobs = [self.service.run_later("density", {"cloud": cloud, "dims": 9 + i}) for i in range(3)]
        self.service.kill()
        with sqlite3.connect(self.service.folder + "/service.sqlite") as table:
            table.execute("UPDATE jobs SET request = replace(request, 'dims', 'sizes') WHERE id != ?", (jobs[1],))
            table.execute("UPDATE jobs SET process = 'gone' WHERE id = ?", (jobs[1],))
            table.execute("UPDATE jobs SET request = '{' WHERE id = ?", (jobs[2],))
        table.close()
        for _ in range(2):  # the second start finds them failed
            self.service.start()
            for job, reason in zip(jobs, ("sizes", "gone", "JSON")):
                status = self.service.wait_for(job)
                self.assertEqual((status["status"], status["exception"]["kind"]), ("failed", "unsupported"))
                self.assertIn(reason, status["exception"]["detail"])
                self.assertEqual(self.service.call("GET", f"/jobs/{job}/results").status, 500)
            self.assertEqual(self.service.call("GET", f"/jobs/{jobs[1]}").json()["processID"], "gone")
            # Successful jobs are still successful, and their results exist.
            self.assertEqual(self.service.status(done)["status"], "successful")
            self.assertEqual(self.service.result(done).body, volume)
            self.assertEqual(len(self.service.call("GET", "/jobs").json()["jobs"]), 4)
            self.service.end()
        with sqlite3.connect(self.service.folder + "/service.sqlite") as table:
            states = table.execute("SELECT state FROM jobs WHERE id != ?", (done,)).fetchall()
        table.close()
        self.assertEqual(states, [("failed",)] * 3)

    def ask(self, cloud):
        answer = self.service.run_now("density", {"cloud": cloud, "dims": 20}, outputs={"volume": {}})
        self.assertEqual(answer.status, 200, answer.body)
        return answer.headers["skde-cache"], answer.body

    def stored(self, name):
        return self.until(lambda: glob.glob(f"{self.service.folder}/results/*/{name}"))[0]

    def change(self, name, change):
        """Replaces the bytes of a stored file by change(bytes), or removes the file for None; its time is kept."""
        path = self.stored(name)
        about = os.stat(path)
        with open(path, "rb") as file:
            data = change(file.read())
        if data is None:
            return os.unlink(path)
        write_file(path, data)
        return os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))

    def until_in_place(self, job):
        """Waits until the result is stored, because a synchronous answer is sent before that."""
        self.until(lambda: self.service.call("GET", f"/jobs/{job}/results").status == 200)

    def test_damaged_results_are_computed_again(self):
        cloud = self.service.add_cloud(grid_points(100))
        job = self.service.finish("density", {"cloud": cloud, "dims": 20}, outputs={"volume": {}})
        hit, good = self.ask(cloud)
        self.assertEqual(hit, "hit")
        damage = (("volume.nrrd", lambda data: data[:5000]), ("volume.nrrd", lambda data: None),
                  ("volume.nrrd", lambda data: data[:-7] + bytes([data[-7] ^ 255]) + data[-6:]),
                  ("result.json", lambda data: data[:len(data) // 2]), ("result.json", lambda data: b"[]"),
                  ("result.json", lambda data: data.replace(b'"file":"volume.nrrd"', b'"file":5')),
                  ("result.json", lambda data: data.replace(b'"mass"', b'"mess"')))
        for i, (name, change) in enumerate(damage):
            for restart in (True, False) if name == "volume.nrrd" else (True,):
                self.change(name, change)
                if restart:
                    self.service.again()
                path = f"/jobs/{job}/results/volume"
                self.assertEqual(self.service.call("GET", path).status, 410, (i, restart))
                self.assertEqual(self.ask(cloud), ("miss", good), (i, restart))
                self.until_in_place(job)
                self.assertEqual(self.service.call("GET", path).body, good)
                self.assertEqual(self.ask(cloud), ("hit", good))
        self.service.again()
        self.assertEqual(self.ask(cloud), ("hit", good))

    def test_results_that_are_damaged_on_their_way_to_the_disk_are_computed_again(self):
        cloud = self.service.add_cloud(grid_points(100))
        job = self.service.finish("density", {"cloud": cloud, "dims": 20}, outputs={"volume": {}})
        hit, good = self.ask(cloud)
        make_disk_slow(self, self.service, 150000)
        for _ in range(3):
            self.change("volume.nrrd", lambda data: None)
            self.assertEqual(self.ask(cloud), ("miss", good))
            self.until_in_place(job)
        self.assertEqual(self.ask(cloud), ("hit", good))

    def test_a_damaged_volume_is_no_input(self):
        cloud = self.service.add_cloud(grid_points(100))
        job = self.service.finish("density", {"cloud": cloud, "dims": 20}, outputs={"volume": {}})
        self.change("volume.nrrd", lambda data: data[:-7] + bytes([data[-7] ^ 255]) + data[-6:])
        self.service.again()
        self.assertEqual(self.service.run_now("levels", {"volume": job}).status, 410)
        self.ask(cloud)
        self.until_in_place(job)
        self.assertEqual(self.service.run_now("levels", {"volume": job}).status, 200)

    @unittest.skipUnless(shutil.which("strace"), "strace is not there")
    def test_a_job_ends_once_the_name_of_its_result_is_on_the_disk(self):
        cloud = self.service.add_cloud(grid_points(50))
        folder = self.new_folder()
        trace = folder + "/trace"
        with subprocess.Popen(["strace", "-f", "-y", "-s", "5000", "-e", "trace=fsync,fdatasync,rename,pwrite64",
                               "-o", trace, "-p", str(self.service.process.pid)], stderr=subprocess.PIPE,
                              text=True) as strace:
            self.addCleanup(strace.kill)
            if "attached" not in strace.stderr.readline():
                self.skipTest("strace may not attach")
            job = self.service.finish("density", {"cloud": cloud, "dims": 8}, outputs={"volume": {}})
            self.service.end()  # also ends strace
            strace.communicate(timeout=PATIENCE)
        with open(trace, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()

        def first(*words, behind=-1):
            for i in range(behind + 1, len(lines)):
                if all(word in lines[i] for word in words):
                    return i
            self.fail(f"no {words} behind line {behind} of\n" + "\n".join(lines))

        placed = first("rename(", "/results/")
        named = first("fsync(", "/results>", behind=placed)
        first("pwrite64(", ".sqlite-wal", "successful", behind=named)
        self.assertFalse([line for line in lines[:named] if "pwrite64(" in line and "successful" in line])


if __name__ == "__main__":
    main()
