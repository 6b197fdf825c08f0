"""Privacy in skde-serve: no access to clouds of other tokens or to other files of the machine."""

import os
import signal
import stat
import struct

from service_process import ALICE, BOB, OwnServices, Pieces, grid_points, main, write_file


class PrivacyTest(OwnServices):
    def clouds_of(self, service, token):
        return [cloud["id"] for cloud in service.call("GET", "/clouds", token=token).json()["clouds"]]

    def test_clouds_stay_with_their_tokens(self):
        path = self.token_file(ALICE, BOB)
        service = self.started("--token-file", path)
        service.token = ALICE
        cloud = service.add_cloud(grid_points(20))
        self.assertEqual(self.clouds_of(service, BOB), [])
        service.end()
        write_file(path, BOB + "\n")
        service.start()
        self.assertEqual(self.clouds_of(service, BOB), [])
        self.assertEqual(service.call("GET", f"/clouds/{cloud}/content", token=BOB).status, 404)
        self.assertEqual(service.call("GET", "/clouds", token=ALICE).status, 401)
        service.end()
        write_file(path, "\n".join(("# others before it", BOB, "c" * 32, ALICE)))
        service.start()
        self.assertEqual(self.clouds_of(service, ALICE), [cloud])
        self.assertEqual(self.clouds_of(service, BOB), [])

    def test_names_of_owners_are_whole_lines(self):
        service = self.started("--token-file", self.token_file(ALICE + " lab one ", "  " + BOB + "\tlab two"))
        service.token = ALICE
        cloud = service.add_cloud(grid_points(20))
        self.assertEqual(self.clouds_of(service, BOB), [])
        self.assertEqual(service.call("DELETE", f"/clouds/{cloud}", token=BOB).status, 404)
        self.assertEqual(self.clouds_of(service, ALICE), [cloud])

    def refusal(self, path):
        code, text = self.refused("--data", self.new_folder(), "--listen", "127.0.0.1:0", "--token-file", path)
        self.assertEqual(code, 3)
        self.assertIn(path, text)
        return text

    def test_token_files_that_mislead_are_refused_with_the_line(self):
        self.assertIn("line 3: the token is that of 'lab one'", self.refusal(self.token_file(ALICE + " lab one", "#", ALICE)))
        self.assertIn("line 2: the token is shorter", self.refusal(self.token_file(ALICE, "short")))
        self.assertIn("line 1: a byte order mark", self.refusal(self.token_file("\ufeff" + ALICE)))

    def test_a_token_file_that_everybody_may_read_is_refused(self):
        path = self.token_file(ALICE)
        for mode in (0o604, 0o602, 0o666):
            os.chmod(path, mode)
            self.refusal(path)
        os.chmod(path, 0o640)
        self.assertEqual(self.started("--token-file", path).call("GET", "/clouds", token=ALICE).status, 200)

    def modes(self, folder):
        for path, folders, files in os.walk(folder):
            for name in ["", *folders, *files]:
                place = os.path.join(path, name)
                yield os.path.relpath(place, folder), stat.S_IMODE(os.stat(place).st_mode), os.path.isdir(place)

    def test_the_folder_is_for_its_owner_alone(self):
        old = os.umask(0o022)
        self.addCleanup(os.umask, old)
        made, given, shared = (os.path.join(self.new_folder(), name) for name in ("made", "given", "shared"))
        os.makedirs(os.path.join(given, "clouds"))  # as created by an older version
        for name in ("lock", "service.sqlite"):
            write_file(os.path.join(given, name), "", 0o666)
        os.mkdir(shared)
        write_file(os.path.join(shared, "of_others"), "", 0o666)
        for folder in (made, given, shared):
            service = self.started(folder=folder)
            cloud = service.add_cloud(grid_points(20))
            service.finish("density", {"cloud": cloud, "dims": 8})
            Pieces(service, 5)
            found = list(self.modes(folder))
            self.assertTrue({"service.sqlite", "token", "clouds", "results"} <= {name for name, _, _ in found})
            for name, mode, is_folder in found:
                if folder == shared and name in (".", "of_others"):
                    self.assertEqual(mode, 0o755 if is_folder else 0o644)
                else:
                    self.assertEqual(mode & 0o077, 0, (folder, name, oct(mode)))

    def test_a_header_names_no_cloud_of_another(self):
        service = self.started("--token-file", self.token_file(ALICE, BOB))
        service.token = ALICE
        secret = struct.pack("<300f", *(i + 0.5 for i in range(300)))
        with_suffix = service.add_cloud(secret, "secret.csv")
        cloud = service.add_cloud(secret, "secret")
        service.token = BOB
        for named in (cloud, "./" + cloud, with_suffix + ".csv", "../clouds/" + cloud, "../token", "0" * 32):
            nrrd = ("NRRD0004\ntype: float\ndimension: 3\nspace: right-anterior-superior\nsizes: 10 6 5\n"
                    "space directions: (1,0,0) (0,1,0) (0,0,1)\nspace origin: (0,0,0)\nkinds: domain domain domain\n"
                    f"endian: little\nencoding: raw\ndata file: {named}\n\n")
            meta = ("ObjectType = Image\nNDims = 3\nDimSize = 10 6 5\nElementType = MET_FLOAT\nOffset = 0 0 0\n"
                    "TransformMatrix = 1 0 0 0 1 0 0 0 1\nElementSpacing = 1 1 1\nBinaryData = True\n"
                    f"BinaryDataByteOrderMSB = False\nElementDataFile = {named}\n")
            for name, text in (("a.nrrd", nrrd), ("a.mha", meta)):
                answer = service.run_now("convert", {"volume": service.add_cloud(text, name), "format": "npy"},
                                         outputs={"volume": {}})
                self.assertEqual(answer.status, 422, (named, answer.body[:300]))
                self.assertIn("stores its values in", answer.json()["detail"])
        whole = nrrd.replace(f"data file: {named}\n", "").encode() + secret
        answer = service.run_now("convert", {"volume": service.add_cloud(whole, "a.nrrd"), "format": "npy"},
                                 outputs={"volume": {}})
        self.assertEqual(answer.status, 200, answer.body[:300])
        self.assertEqual(answer.body[-1200:], secret)

    def test_no_link_leads_out_of_a_folder_that_is_allowed(self):
        allowed, outside = self.new_folder(), self.new_folder()
        inside = os.path.join(allowed, "sub")
        os.mkdir(inside)
        points = {}
        for folder, count in ((inside, 50), (outside, 70)):
            points[folder] = grid_points(count)
            write_file(os.path.join(folder, "x.csv"), points[folder])
        service = self.started("--allow-path", allowed)
        register = service.register
        os.symlink("sub/x.csv", os.path.join(allowed, "near.csv"))
        near = register(os.path.join(allowed, "near.csv"))
        self.assertEqual(near.status, 201)
        cloud = register(os.path.join(inside, "x.csv")).json()["id"]
        worker, = service.workers()
        os.kill(worker, signal.SIGSTOP)
        job = service.run_later("density", {"cloud": cloud, "dims": 8})
        os.rename(inside, os.path.join(allowed, "moved"))  # the file itself stays as it was
        os.symlink(outside, inside)
        os.kill(worker, signal.SIGCONT)
        self.assertEqual(service.wait_for(job)["status"], "successful")
        summary = service.result(job, "summary").json()
        self.assertEqual(summary["samples"]["used"], 50)
        for path in (f"/clouds/{cloud}/content", f"/clouds/{cloud}", f"/clouds/{near.json()['id']}/content"):
            answer = service.call("GET", path)
            self.assertEqual(answer.status, 409, path)
            self.assertNotIn(allowed, answer.body.decode())
        self.assertEqual(register(os.path.join(inside, "x.csv")).status, 403)
        os.unlink(inside)
        os.rename(os.path.join(allowed, "moved"), inside)
        self.assertEqual(service.content(cloud), points[inside].encode())
        links = os.path.join(service.folder, "work", "files")
        self.assertEqual(os.listdir(links), [])
        descriptors = len(os.listdir(f"/proc/{service.process.pid}/fd"))
        for _ in range(20):
            self.assertEqual(service.call("GET", f"/clouds/{cloud}/content").status, 200)
        self.assertLess(len(os.listdir(f"/proc/{service.process.pid}/fd")), descriptors + 10)
        os.mkfifo(os.path.join(allowed, "pipe.nrrd"))  # without a writer, opening it for reading would block for ever
        self.assertEqual(register(os.path.join(allowed, "pipe.nrrd")).status, 403)
        service.add_cloud(points[outside])
        service.end()
        service.flags = ("--allow-path", outside)
        service.start()
        self.assertEqual(service.call("GET", f"/clouds/{cloud}/content").status, 409)


if __name__ == "__main__":
    main()
