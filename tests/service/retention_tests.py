"""What skde-serve removes, and what it does when the disk is full."""

import os
import resource
import time

from service_process import OwnServices, Pieces, grid_points, main


class RetentionTest(OwnServices):
    def test_what_nobody_uses_goes(self):
        service = self.started()
        cloud = service.add_cloud(grid_points(50))
        job = service.finish("density", {"cloud": cloud, "dims": 8})
        service.end()
        service.flags = ("--keep", "0")
        service.start()
        self.until(lambda: service.call("GET", f"/jobs/{job}").status == 404)
        self.until(lambda: service.call("GET", f"/clouds/{cloud}").status == 404)
        for name in ("results", "clouds"):
            self.until(lambda: not os.listdir(os.path.join(service.folder, name)))

    def test_what_is_used_stays(self):
        service = self.started("--keep", str(4 / 86400))  # 4 s, checked every 2 s
        cloud = service.add_cloud(grid_points(50))
        job = service.finish("density", {"cloud": service.add_cloud(grid_points(60)), "dims": 8})
        upload = Pieces(service, 1000)
        used = (f"/clouds/{cloud}/content", f"/jobs/{job}/results/volume")
        for piece in range(30):
            for path in used:
                self.assertEqual(service.call("GET", path).status, 200, (piece, path))
            self.assertEqual(upload.send(b"1 2 3\n", 6 * piece), 204, piece)
            time.sleep(0.2)
        self.until(lambda: len(os.listdir(os.path.join(service.folder, "clouds"))) == 1)
        for path in (*used, f"/jobs/{job}"):
            self.until_gone(service, path)
        self.until(lambda: upload.offset() is None)

    def until_gone(self, service, path):
        """Requests the path less often than it is kept for, because every request counts as a use."""
        while service.call("GET", path).status == 200:
            time.sleep(7)

    def test_the_oldest_results_go_above_the_quota(self):
        service = self.started()
        cloud = service.add_cloud(grid_points(50))
        jobs = []
        for i in range(3):
            jobs.append(service.finish("density", {"cloud": cloud, "dims": "30,30,30", "bandwidth": 0.5 + i / 10}))
        service.end()
        service.flags = ("--quota", "250K", "--keep", str(30 / 86400))  # results of about 110 KiB each, checked after 15 s
        service.start()
        self.until(lambda: len(os.listdir(os.path.join(service.folder, "results"))) == 2)
        answer = service.result(jobs[0])
        self.assertEqual(answer.status, 410)
        self.assertEqual(service.result(jobs[2]).status, 200)

    def test_a_full_disk_is_told_and_survived(self):
        service = self.started()
        cloud = service.add_cloud(grid_points(50))
        # A limit on the size of files acts like a full disk: writes fail.
        limit = 1 << 18
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, (limit, limit))
        for worker in service.workers():
            resource.prlimit(worker, resource.RLIMIT_FSIZE, (limit, limit))
        answer = service.call("POST", "/clouds?name=a.csv", b"1 2 3\n" * 100000)
        self.assertEqual((answer.status, answer.json()["kind"]), (507, "disk"))
        answer = service.run_now("density", {"cloud": cloud, "dims": "50,50,50"})
        self.assertEqual(answer.status, 507)
        self.assertEqual(service.run_now("density", {"cloud": cloud, "dims": 8}).status, 200)
        self.assertEqual(os.listdir(os.path.join(service.folder, "incoming")), [])


if __name__ == "__main__":
    main()
