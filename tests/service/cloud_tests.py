"""Clouds of skde-serve: uploads whole and in pieces, their contents, files of the server."""

import base64
import contextlib
import os

from service_process import HEAD, PIECE, TUS, OwnServices, ServiceTest, grid_points, main, write_file


class OddFolderTest(OwnServices):
    def test_the_folder_may_have_any_name(self):
        around = self.new_folder()
        for name in (b"br{}ace", b'a:b,"c" %d', b"\xff\xfe"):
            folder = os.path.join(os.fsencode(around), name)
            service = self.started(folder=os.fsdecode(folder))
            cloud = service.add_cloud(grid_points(100))
            job = service.run_later("density", {"cloud": cloud, "dims": 8})
            status = service.wait_for(job)
            self.assertEqual(status["status"], "successful", status)
            self.assertEqual(service.run_now("levels", {"volume": job}).status, 200)
            self.assertEqual(service.run_now("density", {"cloud": cloud, "like": job}).status, 200)
            self.assertEqual(service.run_now("info", {"cloud": cloud}).json()["inputs"], ["points.csv"])
            service.end()


class CloudTest(ServiceTest):
    @classmethod
    def setUpClass(cls):
        cls.allowed = cls.class_folder()
        cls.flags = ("--allow-path", cls.allowed, "--max-upload", "4M")
        super().setUpClass()

    def test_no_worker_keeps_what_is_deleted_on_the_disk(self):
        """Workers keep samples in memory, and keep no files open."""
        for name, data in (("points.csv", grid_points(300)), ("points.xyz", grid_points(300).replace(",", " "))):
            cloud = self.service.add_cloud(data, name)
            for process, more in (("density", {"dims": 8}), ("eval", {}), ("info", {})):
                self.assertEqual(self.service.run_now(process, {"cloud": cloud, **more}).status, 200)
            self.assertEqual(self.service.call("DELETE", f"/clouds/{cloud}").status, 204)
        workers = self.service.workers() + self.service.workers("beside")
        self.assertGreater(len(workers), 1)
        for worker in workers:
            for number in os.listdir(f"/proc/{worker}/fd"):
                with contextlib.suppress(FileNotFoundError):
                    self.assertNotIn("/clouds/", os.readlink(f"/proc/{worker}/fd/{number}"))

    def test_a_cloud_is_described_as_by_info(self):
        data = grid_points(300)
        cloud = self.service.add_cloud(data, "stars.csv")
        about = self.service.call("GET", f"/clouds/{cloud}").json()
        self.assertEqual((about["name"], about["bytes"], about["kind"]), ("stars.csv", len(data), "cloud"))
        self.assertEqual(about["samples"]["used"], 300)
        self.assertEqual(about["inputs"], ["stars.csv"])
        weighted = self.service.call("GET", f"/clouds/{cloud}?weights=w&columns=z,y,x").json()
        self.assertEqual(weighted["columns"]["x"]["name"], "z")
        self.assertEqual(weighted["columns"]["weight"]["name"], "w")
        self.assertEqual(self.service.content(cloud), data.encode())
        self.assertIn(cloud, [c["id"] for c in self.service.call("GET", "/clouds").json()["clouds"]])
        self.problem(self.service.call("GET", f"/clouds/{cloud}?dims=3"), 400, "usage")
        self.assertEqual(self.service.call("DELETE", f"/clouds/{cloud}").status, 204)
        self.problem(self.service.call("GET", f"/clouds/{cloud}"), 404, "not-found")

    def test_some_points_of_a_cloud(self):
        import struct
        cloud = self.service.add_cloud(grid_points(1000))
        answer = self.service.call("GET", f"/clouds/{cloud}/points?limit=100")
        self.assertEqual(answer.body[:6], b"\x93NUMPY")
        start = 10 + struct.unpack("<H", answer.body[8:10])[0]
        self.assertIn(b"'<f8'", answer.body[:start])
        values = struct.unpack(f"<{(len(answer.body) - start) // 8}d", answer.body[start:])
        self.assertTrue(50 < len(values) // 4 <= 100)
        self.assertEqual(values[3::4], (1.0,) * (len(values) // 4))

    def test_a_file_that_is_no_cloud_says_why(self):
        cloud = self.service.add_cloud(b"\x00\x01\x02 nothing of use", "broken.ply")
        problem = self.problem(self.service.call("GET", f"/clouds/{cloud}"), 422, "input")
        self.assertIn("broken.ply", problem["detail"])
        self.assertNotIn(self.service.folder, problem["detail"])
        self.problem(self.service.run_now("density", {"cloud": cloud}), 422, "input")
        self.problem(self.service.call("POST", "/clouds?name=x.csv", b""), 400, "request")

    def test_names_may_hold_what_json_and_paths_give_a_meaning_to(self):
        from urllib.parse import quote
        for name in ('a"b.csv', '","x"_7,"y', "@FOLDER@.csv", "{}.csv", "%s, a.csv", "'$(a)' --dims=3.csv"):
            data = grid_points(100, seed=len(name))
            cloud = self.service.add_cloud(data, quote(name))
            about = self.service.call("GET", f"/clouds/{cloud}").json()
            self.assertEqual((about["name"], about["inputs"]), (name, [name]))
            job = self.service.run_later("density", {"cloud": cloud, "dims": 8})
            self.assertEqual(self.service.wait_for(job)["status"], "successful", name)
            summary = self.service.result(job, "summary").json()
            self.assertEqual(summary["inputs"], [name])
            problem = self.problem(self.service.run_now("density", {"cloud": cloud, "columns": "p,q,r"}), 400, "usage")
            self.assertIn(name, problem["detail"])

    def test_names_that_are_no_utf8_are_mended(self):
        cases = {"%FF.csv": "\ufffd.csv", "a" * 199 + "%C3%A4.csv": "a" * 199, "gr%C3%B6%C3%9Fe.csv": "größe.csv",
                 "%ED%A0%80%C0%AF%F5x.csv": "\ufffd" * 6 + "x.csv", "a%E2%82": "a\ufffd\ufffd"}
        for sent, name in cases.items():
            cloud = self.service.add_cloud(grid_points(50), sent)
            self.assertEqual(self.service.call("GET", f"/clouds/{cloud}").json()["name"], name)
            self.assertEqual(self.service.run_now("density", {"cloud": cloud, "dims": 8}).status, 200)
        self.problem(self.service.call("GET", f"/clouds/{cloud}?columns=%FF,y,z"), 400, "usage")
        names = [cloud["name"] for cloud in self.service.call("GET", "/clouds").json()["clouds"]]
        self.assertLessEqual(set(cases.values()), set(names))

    def test_a_tus_name_that_is_no_utf8_is_mended(self):
        data = grid_points(50).encode()
        name = base64.b64encode("größe.csv".encode("latin-1")).decode()
        answer = self.service.call("POST", "/uploads", headers={
            **TUS, "Upload-Length": str(len(data)), "Upload-Metadata": "filename " + name})
        upload = answer.headers["location"]
        self.assertEqual(self.service.call("HEAD", upload, headers=TUS).status, 200)
        self.assertEqual(self.service.call("PATCH", upload, data, {**PIECE, "Upload-Offset": "0"}).status, 204)
        cloud = self.service.call("GET", upload.replace("uploads", "clouds"))
        self.assertEqual((cloud.status, cloud.json()["name"]), (200, "gr\ufffd\ufffde.csv"))

    def test_uploads_without_a_length(self):
        data = grid_points(2000).encode()
        answer = self.service.call("POST", "/clouds?name=a.csv", iter([data[:7000], data[7000:]]))
        self.assertEqual(answer.status, 201)
        self.assertEqual(self.service.content(answer.json()["id"]), data)

    def test_an_upload_that_is_too_long_is_refused(self):
        self.problem(self.service.call("POST", "/clouds?name=a.csv", b"1" * (5 << 20)), 413, "limit")
        self.assertEqual(self.files("incoming"), [])

    def files(self, name):
        return os.listdir(os.path.join(self.service.folder, name))

    def test_nothing_is_left_of_an_upload_that_breaks(self):
        end = self.service.dial(HEAD.format("POST /clouds?name=a.csv") + "Content-Length: 100000\r\n\r\n" + "1 2 3\n" * 100)
        self.until(lambda: self.files("incoming"))
        end.close()
        self.until(lambda: not self.files("incoming"))

    def test_tus_goes_on_after_a_broken_connection(self):
        data = grid_points(3000).encode()
        name = base64.b64encode(b"pieces.csv").decode()
        options = self.service.call("OPTIONS", "/uploads")
        self.assertEqual((options.status, options.headers["tus-version"]), (204, "1.0.0"))
        self.assertIn("creation", options.headers["tus-extension"])
        created = self.service.call("POST", "/uploads", headers={
            **TUS, "Upload-Length": str(len(data)), "Upload-Metadata": f"filename {name},a Yg=="})
        self.assertEqual(created.status, 201)
        place = created.headers["location"]
        # The connection breaks in the middle of a piece.
        end = self.service.dial(HEAD.format(f"PATCH {place}").encode() + b"Tus-Resumable: 1.0.0\r\n"
                                b"Content-Type: application/offset+octet-stream\r\nUpload-Offset: 0\r\n"
                                b"Content-Length: %d\r\n\r\n" % len(data) + data[:5000])
        self.until(lambda: self.offset(place) == 5000)
        end.close()
        wrong = self.service.call("PATCH", place, b"x", {**PIECE, "Upload-Offset": "3"})
        self.assertEqual(wrong.status, 409)
        send = lambda: self.service.call("PATCH", place, data[5000:9000], {**PIECE, "Upload-Offset": "5000"})
        self.until(lambda: send().status == 204)  # once the service has noticed the broken connection
        self.service.again()  # pieces survive the service
        self.assertEqual(self.offset(place), 9000)
        last = self.service.call("PATCH", place, data[9000:], {**PIECE, "Upload-Offset": "9000"})
        self.assertEqual((last.status, last.headers["upload-offset"]), (204, str(len(data))))
        cloud = place.split("/")[-1]
        self.assertEqual(self.service.content(cloud), data)
        self.assertEqual(self.service.call("GET", f"/clouds/{cloud}").json()["name"], "pieces.csv")

    def offset(self, place):
        return int(self.service.call("HEAD", place, headers=TUS).headers["upload-offset"])

    def test_tus_refuses_what_is_not_of_it(self):
        self.assertEqual(self.service.call("POST", "/uploads", headers={"Upload-Length": "5"}).status, 412)
        self.assertEqual(self.service.call("POST", "/uploads", headers={**TUS, "Upload-Length": "x"}).status, 400)
        self.assertEqual(self.service.call("POST", "/uploads", headers={**TUS, "Upload-Length": "9999999"}).status, 413)
        place = self.service.call("POST", "/uploads", headers={**TUS, "Upload-Length": "5"}).headers["location"]
        self.assertEqual(self.service.call("PATCH", place, b"123456", {**PIECE, "Upload-Offset": "0"}).status, 413)
        self.assertEqual(self.service.call("DELETE", place, headers=TUS).status, 204)
        self.assertEqual(self.service.call("HEAD", place, headers=TUS).status, 404)

    def test_files_of_the_server_below_allowed_folders_alone(self):
        inside = write_file(os.path.join(self.allowed, "in.csv"), grid_points(50))
        link = os.path.join(self.allowed, "link.csv")
        os.symlink("/etc/passwd", link)
        for path in ("/etc/passwd", link, self.allowed, self.allowed + "/../../etc/passwd", "nothing", "",
                     inside + "\0.csv"):
            self.problem(self.service.register(path), 403, "usage")
        answer = self.service.register(inside)
        self.assertEqual(answer.status, 201)
        run = self.service.run_now("density", {"cloud": answer.json()["id"], "dims": 8}, outputs={"summary": {}})
        self.assertEqual(run.json()["samples"]["used"], 50)
        self.assertEqual(self.service.call("DELETE", answer.headers["location"]).status, 204)
        self.assertTrue(os.path.exists(inside))


if __name__ == "__main__":
    main()
