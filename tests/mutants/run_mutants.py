"""Breaks a copy of the sources by one patch after the other and expects the test that each names to fail.

usage: run_mutants.py ROOT JOBS [PATCH NAMES...]

Only what changed since the last run is copied and built. Files are written, never dated back: an object of a broken
source is older than the source that is put back, so ninja compiles it again, even after a run that was ended.
"""

import filecmp
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from mutant_patches import BrokenPatch, patched, read_mutants

TEST_SECONDS = 60  # a test that runs longer hangs, and so does the mutant no more harm
NO_CASE = "No test cases matched"


class Failure(Exception):
    """What ends the run."""


class Workshop:
    """The copy of the tree, and its build."""

    def __init__(self, root, jobs):
        self.root, self.jobs = root, jobs
        self.tree, self.build = root / "build-mutants/tree", root / "build-mutants/build"
        self.log = root / "build-mutants/log"

    def copy_sources(self):
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=self.root,
                                check=True, capture_output=True, text=True).stdout.split("\0")
        files = {name for name in listed if name and (self.root / name).is_file()}
        for name in files:
            source, copy = self.root / name, self.tree / name
            if not copy.is_file() or not filecmp.cmp(source, copy, shallow=False):
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, copy)  # with its mode and the time of now
        for copy in list(self.tree.rglob("*")):
            if copy.is_file() and copy.relative_to(self.tree).as_posix() not in files:
                copy.unlink()

    def configure(self, mutants):
        """At -O1, which compiles in half the time; what patches change is compiled apart from its group."""
        apart = ";".join(sorted({mutant.file for mutant in mutants if mutant.file.endswith(".cpp")}))
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG", "-DSKDE_WITH_CUDA=OFF",
                   "-DSKDE_WITH_WEB=OFF", "-DSKDE_WITH_MPI=OFF", f"-DSKDE_APART={apart}"]
        self._call(["cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja", *options], "configuring")

    def make(self, programs):
        self._call(["ninja", "-C", self.build, "-j", self.jobs, *sorted(programs)], "building")

    def _call(self, command, doing):
        with self.log.open("w") as log:
            if subprocess.run(list(map(str, command)), stdout=log, stderr=log).returncode != 0:
                raise Failure(f"{doing} failed: see {self.log}")

    def run_test(self, mutant):
        """'passes', 'fails', 'hangs', 'is skipped' or 'is not there'."""
        program = self.build / "tests" / mutant.program
        case = mutant.case.replace(",", "\\,")  # a comma divides tests
        with self.log.open("w") as log:
            run = subprocess.Popen([program, case], stdout=log, stderr=log, start_new_session=True)
            try:
                status = run.wait(TEST_SECONDS)
            except subprocess.TimeoutExpired:
                status = None
            finally:
                end_group(run)
        said = self.log.read_text(errors="replace")
        if NO_CASE in said:
            return "is not there"
        if status is None:
            return "hangs"
        if status != 0:
            return "fails"
        return "is skipped" if "SKIPPED:" in said else "passes"


def end_group(run):
    """Ends a test and what it started, which has a session of its own."""
    try:
        os.killpg(run.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    run.wait()


def chosen(mutants, names):
    unknown = set(names) - {mutant.name for mutant in mutants}
    if unknown:
        raise Failure(f"there is no patch {min(unknown)} in tests/mutants")
    return [mutant for mutant in mutants if not names or mutant.name in names]


def require_passing(shop, mutants):
    """The tests on sources as they are, without which a failure would tell nothing; returns those that are skipped."""
    found = {}
    for mutant in mutants:
        test = (mutant.program, mutant.case)
        if test not in found:
            found[test] = shop.run_test(mutant)
        if found[test] not in ("passes", "is skipped"):
            raise Failure(f"{mutant.name}: without the patch the test '{mutant.case}' {found[test]}: see {shop.log}")
    return {test for test, outcome in found.items() if outcome == "is skipped"}


def outcome_of(shop, mutant):
    changed = shop.tree / mutant.file
    text = changed.read_text()
    changed.write_text(patched(shop.tree / mutant.file, mutant))
    try:
        shop.make([mutant.program])
        outcome = shop.run_test(mutant)
    except Failure:
        return "does not build"
    finally:
        changed.write_text(text)
    return {"fails": "killed", "hangs": "killed"}.get(outcome, f"SURVIVED: '{mutant.case}' {outcome}")


def run(shop, names):
    mutants = read_mutants(shop.root)
    chosen_ones = chosen(mutants, names)
    shop.copy_sources()
    shop.configure(mutants)
    shop.make({mutant.program for mutant in chosen_ones})
    print(f"built in {time.monotonic() - BEGIN:.0f} s", flush=True)
    skipped = require_passing(shop, chosen_ones)
    alive = 0
    for mutant in sorted(chosen_ones, key=lambda one: (one.program, one.file, one.name)):
        begin = time.monotonic()
        if (mutant.program, mutant.case) in skipped:
            print(f"{mutant.name}: its test is skipped here", flush=True)
            continue
        outcome = outcome_of(shop, mutant)
        alive += outcome != "killed"
        print(f"{mutant.name}: {outcome}, {time.monotonic() - begin:.0f} s", flush=True)
    print(f"{len(chosen_ones)} mutants in {time.monotonic() - BEGIN:.0f} s", flush=True)
    if alive:
        raise Failure(f"{alive} mutants were not killed")


BEGIN = time.monotonic()


def main():
    root, jobs, *names = sys.argv[1:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        run(Workshop(Path(root).resolve(), jobs), names)
    except (BrokenPatch, Failure) as error:
        sys.exit(f"dev: {error}")


if __name__ == "__main__":
    main()
