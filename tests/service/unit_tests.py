"""The systemd unit skde-serve.service: it allows little, but enough for the service."""

import os
import re
import shutil
import signal
import subprocess
import unittest

from service_process import PATIENCE, OwnServices, Pieces, Service, ServiceTest, grid_points, main, write_file

UNIT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "service", "skde-serve.service")


def analyze(*arguments):
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, check=False)


def calls_of(group):
    """Returns the names of the system calls of a group, including nested groups."""
    names = set()
    for word in re.findall(r"^    ([@\w-]+)$", analyze("syscall-filter", group).stdout, re.MULTILINE):
        names |= calls_of(word) if word.startswith("@") else {word}
    return names


@unittest.skipUnless(shutil.which("systemd-analyze"), "SKIPPED: there is no systemd-analyze")
class UnitTest(OwnServices):
    def test_little_is_exposed(self):
        found = analyze("security", "--offline=true", "--threshold=12", UNIT)
        self.assertEqual(found.returncode, 0, found.stdout[-300:] + found.stderr)

    def test_it_is_a_unit(self):
        with open(UNIT, encoding="utf-8") as file:
            text = file.read().replace("/usr/bin/skde-serve", os.path.abspath(ServiceTest.program))
        found = analyze("verify", write_file(os.path.join(self.new_folder(), "skde-serve.service"), text))
        self.assertEqual((found.returncode, [line for line in found.stderr.splitlines() if "skde-serve" in line]), (0, []))

    @unittest.skipUnless(shutil.which("strace"), "SKIPPED: there is no strace")
    @unittest.skipIf("SKDE_SANITIZED" in os.environ, "sanitizers call the system by themselves")
    def test_the_service_calls_nothing_that_the_unit_forbids(self):
        allowed = set()
        with open(UNIT, encoding="utf-8") as file:
            for forbids, groups in re.findall(r"^SystemCallFilter=(~?)(.*)$", file.read(), re.MULTILINE):
                named = set().union(*map(calls_of, groups.split()))
                allowed = allowed - named if forbids else allowed | named
        self.assertGreater(len(allowed), 200)
        used = self.calls_of_a_service()
        self.assertLessEqual({"openat2", "fsync", "sendfile", "socketpair"}, used)
        used.discard("fchown")  # SQLite calls it only as root, which the unit's service is not
        self.assertEqual(used - allowed, set())

    def calls_of_a_service(self):
        folder = self.new_folder()
        traced, trace = os.path.join(folder, "traced"), os.path.join(folder, "trace")
        write_file(traced, f"#!/bin/sh\nexec strace -f -qq -e signal=none -o {trace} {ServiceTest.program} \"$@\"\n", 0o700)
        service = Service(traced, "--allow-path", folder)
        self.addCleanup(service.close)
        there = service.register(write_file(os.path.join(folder, "there.csv"), grid_points(50))).json()["id"]
        data = grid_points(60).encode()
        upload = Pieces(service, len(data))
        self.assertEqual(upload.send(data, 0), 204)
        for cloud in (there, upload.id):
            for form in ("nrrd", "netcdf", "openvdb"):
                job = service.run_later("density", {"cloud": cloud, "dims": 12, "format": form},
                                        outputs={"volume": {}, "picture": {}})
                self.assertEqual(service.wait_for(job)["status"], "successful")
                self.assertEqual(service.result(job).status, 200)
                self.assertEqual(service.run_now("levels", {"volume": job}).status, 200)
            self.assertEqual(service.call("DELETE", f"/clouds/{cloud}").status, 204)
        with open(f"/proc/{service.process.pid}/task/{service.process.pid}/children", encoding="ascii") as file:
            os.kill(int(file.read()), signal.SIGTERM)
        self.assertEqual(service.process.wait(PATIENCE), 0)
        service.process.stdout.close()
        with open(trace, encoding="utf-8", errors="replace") as file:
            return set(re.findall(r"^\d+ +(\w+)\(", file.read(), re.MULTILINE))


if __name__ == "__main__":
    main()
