"""The contents and owners of clouds: hashes, tokens, files of the server that change."""

import hashlib
import os
import sqlite3
import struct

from service_process import ALICE, BOB, OwnServices, Service, ServiceTest, grid_points, main, write_file

SIZE = (4, 3, 2)  # cells of the volumes here, along x, y and z


def cell_values(factor):
    return struct.pack("<24f", *(factor * (1 + i) for i in range(24)))


def nifti_header():
    """Returns the header of a pair of files: 4 x 3 x 2 floats, placed by sform."""
    head = bytearray(348)
    struct.pack_into("<i", head, 0, 348)
    struct.pack_into("<8h", head, 40, 3, *SIZE, 1, 1, 1, 1)
    struct.pack_into("<2h", head, 70, 16, 32)
    struct.pack_into("<8f", head, 76, 1, 1, 1, 1, 0, 0, 0, 0)
    struct.pack_into("<2f", head, 108, 0, 1)
    struct.pack_into("<2h", head, 252, 0, 1)
    struct.pack_into("<12f", head, 280, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0)
    head[344:348] = b"ni1\0"
    return bytes(head)


NRRD = (b"NRRD0004\ntype: float\ndimension: 3\nsizes: 4 3 2\nspacings: 1 1 1\naxis mins: 0 0 0\nendian: little\n"
        b"encoding: raw\ndata file: values.raw\n\n")
META_IMAGE = (b"ObjectType = Image\nNDims = 3\nDimSize = 4 3 2\nElementType = MET_FLOAT\nElementSpacing = 1 1 1\n"
              b"BinaryData = True\nOffset = 0 0 0\nElementByteOrderMSB = False\nElementDataFile = values.raw\n")


class IdentityTest(ServiceTest):
    @classmethod
    def setUpClass(cls):
        cls.allowed, cls.folder = cls.class_folder(), cls.class_folder()
        write_file(cls.folder + "/token", f"{ALICE} alice\n{BOB} bob\n")
        cls.service = Service(ServiceTest.program, "--allow-path", cls.allowed, folder=cls.folder)

    def put(self, name, data, stamp=None):
        """Replaces a file of the server by a new one, as programs do when they save."""
        path = os.path.join(self.allowed, name)
        write_file(path + ".new", data)
        if stamp:
            os.utime(path + ".new", ns=(stamp, stamp))
        os.replace(path + ".new", path)
        return path

    def register(self, path, token=None):
        answer = self.service.register(path, token=token)
        self.assertEqual(answer.status, 201, answer.body)
        return answer.json()["id"]

    def density(self, cloud, token=None, **more):
        return self.service.run_now("density", {"cloud": cloud, "dims": 12, **more}, token=token, outputs={"volume": {}})

    def test_a_worker_keeps_its_link_for_the_next_run(self):
        few, many = (self.service.add_cloud(grid_points(count), "same.csv") for count in (20, 30))
        for number, (cloud, used) in enumerate([(few, 20), (few, 20), (many, 30), (few, 20), (many, 30), (many, 30)]):
            self.assertEqual(self.summary("density", cloud=cloud, dims=12, bandwidth=1 + number)["samples"]["used"], used)

    def values(self, cloud):
        """Returns the values of a volume of 24 cells, or the status of the problem."""
        answer = self.service.run_now("convert", {"volume": cloud, "format": "npy"}, outputs={"volume": {}})
        return answer.body[-96:] if answer.status == 200 else answer.status

    def test_contents_are_named_by_sha_256(self):
        data = grid_points(200).encode()
        cloud = self.service.add_cloud(data)
        path = self.register(self.put("named.csv", data))
        for one in (cloud, path):
            answer = self.service.call("GET", f"/clouds/{one}/content")
            self.assertEqual(answer.headers["etag"], f'"{hashlib.sha256(data).hexdigest()}"')
        self.assertEqual(self.density(cloud).status, 200)
        job = self.service.finish("density", {"cloud": cloud, "dims": 12}, outputs={"volume": {}})
        volume = self.service.result(job)
        self.assertRegex(volume.headers["etag"], '^"[0-9a-f]{64}-volume-[0-9a-f]{32}"$')

    def test_what_a_token_computed_is_no_hit_for_another(self):
        data = grid_points(210)
        answers = []
        for token in (ALICE, BOB, ALICE):
            new = self.service.call("POST", "/clouds?name=same.csv", data.encode(), token=token)
            answers.append(self.density(new.json()["id"], token=token))
        self.assertEqual([answer.headers["skde-cache"] for answer in answers], ["miss", "miss", "hit"])
        self.assertNotEqual(answers[0].headers["etag"], answers[1].headers["etag"])
        # Every token may read files below --allow-path.
        path = self.put("public.csv", grid_points(220))
        shared = [self.density(self.register(path, token), token=token) for token in (ALICE, BOB)]
        self.assertEqual([answer.headers["skde-cache"] for answer in shared], ["miss", "hit"])
        self.assertEqual(shared[0].body, shared[1].body)

    def test_a_file_that_changed_is_no_longer_the_cloud(self):
        old, new = grid_points(300), grid_points(300, spread=5, seed=2)
        truth = self.density(self.service.add_cloud(old, "run7.csv"), bandwidth=0.31).body
        path = self.put("run7.csv", old)
        cloud = self.register(path)
        self.put("run7.csv", new)
        problem = self.problem(self.density(cloud), 409, "input")
        self.assertIn("run7.csv", problem["detail"])
        self.assertNotIn(self.allowed, problem["detail"])
        self.problem(self.service.call("GET", f"/clouds/{cloud}/content"), 409, "input")
        self.problem(self.service.call("GET", f"/clouds/{cloud}"), 409, "input")
        self.problem(self.service.ask_later("density", {"cloud": cloud}), 409, "input")
        # An upload of the old bytes gives their density; a new registration gives that of the current file.
        same = self.density(self.service.add_cloud(old, "run7.csv"), bandwidth=0.31)
        self.assertEqual(same.body, truth)
        now = self.density(self.register(path))
        self.assertEqual(now.body, self.density(self.service.add_cloud(new, "run7.csv")).body)

    def test_a_file_that_changes_while_a_job_waits_fails_it(self):
        old, new = grid_points(310), grid_points(310, spread=5, seed=2)
        path = self.put("waits.csv", old)
        cloud = self.register(path)
        long = self.service.occupy()
        job = self.service.run_later("density", {"cloud": cloud, "dims": 12}, outputs={"volume": {}})
        self.put("waits.csv", new)
        self.service.call("DELETE", f"/jobs/{long}")
        status = self.service.wait_for(job)
        self.assertEqual((status["status"], status["exception"]["status"]), ("failed", 409))
        # Samples that the worker may already have read are not used for any cloud.
        self.put("waits.csv", old)
        answer = self.density(self.register(path))
        self.assertEqual((answer.status, answer.headers["skde-cache"]), (200, "miss"))
        self.assertEqual(answer.body, self.density(self.service.add_cloud(old, "waits.csv")).body)

    def test_other_bytes_of_the_same_size_and_time(self):
        bodies = []
        for factor in (1, 7):
            text = "\n".join(f"{i % 5},{i % 7 * factor},{i % 3}" for i in range(100, 200))
            text = "x,y,z\n" + text.ljust(1000)
            path = self.put("stamped.csv", text, stamp=10**18)
            bodies.append(self.density(self.register(path)).body)
            self.assertEqual(bodies[-1], self.density(self.service.add_cloud(text, "stamped.csv")).body)
        self.assertNotEqual(*bodies)

    def test_values_in_a_file_beside_are_part_of_the_cloud(self):
        for name, header, data in (("a.nhdr", NRRD, "values.raw"), ("a.mhd", META_IMAGE, "values.raw"),
                                   ("a.hdr", nifti_header(), "a.img")):
            path = self.put(name, header)
            seen = []
            for factor in (1, 50):
                self.put(data, cell_values(factor))
                seen.append(self.register(path))
                self.assertEqual(self.values(seen[-1]), cell_values(factor), name)
            self.assertEqual(self.values(seen[0]), 409, name)
            self.put(data, cell_values(1)[:40])
            short = self.service.run_now("levels", {"volume": self.register(path)})
            self.assertIn(data, self.problem(short, 422, "input")["detail"])
            self.assertNotIn(self.allowed, short.body.decode())
        refused = self.service.register(self.put("b.nhdr", NRRD.replace(b"values", b"none")))
        self.problem(refused, 422, "input")
        self.assertNotIn(self.allowed, refused.body.decode())

    def test_a_description_beside_that_comes_later_is_a_change(self):
        head = b"\x93NUMPY\x01\x00" + struct.pack("<H", 118)
        head += str({"descr": "<f4", "fortran_order": False, "shape": SIZE[::-1]}).encode().ljust(117) + b"\n"
        description = b'{"first_centre": [1, 2, 3], "spacing": [2, 2, 2]}'
        self.put("c.npy.json", description)
        self.assertEqual(self.values(self.register(self.put("c.npy", head + cell_values(1)))), cell_values(1))
        os.unlink(self.allowed + "/c.npy.json")
        cloud = self.register(self.allowed + "/c.npy")
        self.assertEqual(self.values(cloud), 422)  # no description of the grid
        self.put("c.npy.json", description)
        self.assertEqual(self.values(cloud), 409)

    def test_texts_of_requests_name_no_folder_of_the_service(self):
        cloud = self.service.add_cloud(grid_points(120))
        for name in ("columns", "bounds", "bandwidth", "units"):
            answer = self.density(cloud, **{name: "@FOLDER@"})
            self.assertNotIn(self.folder.encode(), answer.body)
        self.assertIn("@FOLDER@", self.density(cloud, columns="@FOLDER@").json()["detail"])
        volume = self.density(cloud, units="@FOLDER@/x")
        self.assertIn(b"@FOLDER@/x", volume.body)

    def test_results_of_results_name_no_job_and_no_path(self):
        cloud = self.service.add_cloud(grid_points(130))
        jobs, meshes = [], []
        for _ in range(2):
            jobs.append(self.service.finish("density", {"cloud": cloud, "dims": 12}, outputs={"volume": {}}))
            meshes.append(self.service.run_now("iso", {"volume": jobs[-1], "mass": 0.5, "format": "ply"}))
        self.assertEqual([mesh.status for mesh in meshes], [200, 200], meshes[0].body)
        self.assertEqual([mesh.headers["skde-cache"] for mesh in meshes], ["miss", "hit"])
        self.assertIn(b"volume.nrrd", meshes[0].body)
        for mesh in meshes:
            for word in (*jobs, self.folder):
                self.assertNotIn(word.encode(), mesh.body)
        for field in (":none", ":..", ":\\..", ":a b"):
            problem = self.service.run_now("levels", {"volume": jobs[0] + field})
            self.assertGreaterEqual(problem.status, 400)
            self.assertNotIn(self.folder.encode(), problem.body)
            self.assertNotIn(jobs[0].encode(), problem.body)

    def summary(self, process, **inputs):
        answer = self.service.run_now(process, inputs, outputs={"summary": {}})
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()

    def test_files_of_one_name_are_told_apart(self):
        """Commands read files by the names that clients know; a number is before one that another file has."""
        clouds = [self.service.add_cloud(grid_points(80 + i), name) for i, name in enumerate(("same.csv", "same.csv", "2"))]
        summary = self.summary("density", cloud=clouds, dims=12)
        self.assertEqual(summary["inputs"], ["same.csv", "2/same.csv", "3/2"])
        self.assertEqual(summary["samples"]["used"], 80 + 81 + 82)
        for cloud, used in zip(clouds, (80, 81, 82)):  # one after the other, in the same worker
            self.assertEqual(self.summary("density", cloud=cloud, dims=12)["samples"]["used"], used)
        jobs = [self.service.run_later("density", {"cloud": cloud, "bounds": "-5,-5,-5:5,5,5", "dims": 8, "format": "npy"},
                                       outputs={"volume": {}}) for cloud in clouds[:2]]
        for job in jobs:
            self.assertEqual(self.service.wait_for(job)["status"], "successful")
        alike = self.summary("compare", volume=jobs[0], other=jobs[1])
        self.assertEqual(alike["inputs"], ["volume.npy", "2/volume.npy"])
        same = self.summary("convert", volume=jobs[0], format="npy")
        self.assertEqual((same["inputs"], same["written"][0]["path"]), (["2/volume.npy"], "volume.npy"))
        before = self.service.result(jobs[0]).body
        again = self.service.run_now("convert", {"volume": jobs[0], "format": "npy"}, outputs={"volume": {}}).body
        self.assertEqual(again, before)

    def test_names_that_commands_give_a_meaning_to_are_names(self):
        for sent, name in (("-", "./-"), ("--json", "./--json"), ("..", "cloud"), ("result.json", "2/result.json")):
            cloud = self.service.add_cloud(grid_points(60), sent)
            self.assertEqual(self.summary("density", cloud=cloud, dims=12)["inputs"], [name])
        cloud = self.service.add_cloud(grid_points(60), "-a.csv")
        twice = self.service.run_now("eval", {"cloud": cloud, "points": cloud}, outputs={"points": {}})
        self.assertEqual(len(twice.body.splitlines()), 61)


class OlderVersionTest(OwnServices):
    """A folder left by a version with hashes of 32 digits."""

    def test_its_clouds_and_results_stay(self):
        allowed = self.new_folder()
        service = self.started("--allow-path", allowed)
        sent = service.add_cloud(grid_points(100))
        there = service.register(write_file(allowed + "/there.csv", grid_points(110))).json()["id"]
        job = service.finish("density", {"cloud": sent, "dims": 8}, outputs={"volume": {}})
        volume = service.result(job).body
        service.end()
        self.make_older(service.folder)
        service.start()
        self.assertEqual(service.content(sent), grid_points(100).encode())
        self.assertEqual(service.result(job).body, volume)
        for cloud in (sent, there):
            self.assertEqual(service.run_now("density", {"cloud": cloud, "dims": 8}).status, 200)
        with open(allowed + "/there.csv", "a", encoding="ascii") as file:
            file.write("1,2,3,4\n")
        self.assertEqual(service.run_now("density", {"cloud": there, "dims": 8}).status, 409)

    def make_older(self, folder):
        (key,) = os.listdir(folder + "/results")
        self.assertEqual(len(key), 64)
        os.rename(f"{folder}/results/{key}", f"{folder}/results/{key[:32]}")
        with open(f"{folder}/results/{key[:32]}/result.json", "r+", encoding="utf-8") as file:
            line = file.readline().replace(',"sealed":true', "").rstrip("\n")
            file.seek(0)
            file.truncate()
            file.write(line)
        with sqlite3.connect(folder + "/service.sqlite") as table:
            table.execute("UPDATE jobs SET key = substr(key, 1, 32)")
            table.execute("UPDATE clouds SET hash = substr(hash, 1, 32)")
            table.execute("ALTER TABLE clouds DROP COLUMN stamps")
        table.close()


if __name__ == "__main__":
    main()
