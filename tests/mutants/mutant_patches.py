"""The patches of this folder: what each changes, and the test that notices."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

HEADER = re.compile(r"^Killed by test_([a-z_]+): (.+)$", re.MULTILINE)
CHANGED = re.compile(r"^\+\+\+ b/(\S+)", re.MULTILINE)


class BrokenPatch(Exception):
    """A patch that is not one, with its reason."""


@dataclass(frozen=True)
class Mutant:
    name: str
    patch: Path
    file: str  # that is changed, below the tree
    layer: str  # test_<layer> is the program with the test
    case: str  # as Catch2 takes it, so '*' stands for the rest of a name

    @property
    def program(self):
        return f"test_{self.layer}"


def read_mutant(patch):
    text = patch.read_text()
    header, files = HEADER.search(text), CHANGED.findall(text)
    if not header:
        raise BrokenPatch(f"{patch.name}: no line 'Killed by test_<folder>: <test>'")
    if len(files) != 1:
        raise BrokenPatch(f"{patch.name}: changes {len(files)} files and not one")
    return Mutant(patch.stem, patch, files[0], *header.groups())


def read_mutants(root):
    return [read_mutant(patch) for patch in sorted((root / "tests/mutants").glob("*/*.patch"))]


def patched(file, mutant):
    """The text of a file as the patch would have it; the file stays as it is."""
    command = ["patch", "--silent", "--force", "--reject-file=-", "--output=-", str(file), str(mutant.patch)]
    found = subprocess.run(command, capture_output=True, text=True)
    if found.returncode != 0 or not found.stdout:
        raise BrokenPatch(f"{mutant.patch.name}: does not apply to {mutant.file}")
    if found.stdout == file.read_text():
        raise BrokenPatch(f"{mutant.patch.name}: changes nothing in {mutant.file}")
    return found.stdout
