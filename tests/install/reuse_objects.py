#!/usr/bin/env python3
"""A compiler launcher: copies an object that another build made by the same command, or else compiles it.

usage: reuse_objects.py COMPILER ARGUMENTS..., in the build folder of a project that has skde in its folder skde

The other build, by Ninja, is in the folder SKDE_OBJECTS_OF. An object is copied if both builds have the same compiler,
arguments and source, and the other object is newer than all files it was made from.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

DEPENDENCY_FLAGS = {"-MD": 1, "-MT": 2, "-MF": 2}  # number of words of each


def without_dependencies(words):
    """Returns the words of a command without those about its dependency file, and that file."""
    kept, file, at = [], None, 0
    while at < len(words):
        if words[at] == "-MF":
            file = Path(words[at + 1])
        if words[at] not in DEPENDENCY_FLAGS:
            kept.append(words[at])
        at += DEPENDENCY_FLAGS.get(words[at], 1)
    return kept, file


def command_of(build, output):
    """Returns the words of the command by which BUILD makes an object, from the compiler on; empty if there is none."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        if output in words:
            return words[1:] if words[0].endswith("ccache") else words
    return []


def is_current(build, output):
    """Returns whether an object exists and is newer than all files it was made from."""
    found = subprocess.run(["ninja", "-C", build, "-t", "deps", output], capture_output=True, text=True)
    made_from = [build / line.strip() for line in found.stdout.splitlines() if line.startswith(" ")]
    if not made_from or not (build / output).is_file():
        return False
    made = (build / output).stat().st_mtime_ns
    return all(file.is_file() and file.stat().st_mtime_ns <= made for file in made_from)


def object_for(build, part, words):
    """Returns the object of BUILD that the command would make again, or None if there is none."""
    output = os.path.relpath(words[words.index("-o") + 1], part)
    source = Path(words[words.index("-c") + 1])
    moved = [output if word == words[words.index("-o") + 1] else word.replace(str(part), str(build)) for word in words]
    if moved != command_of(build, output):
        return None
    twin = Path(moved[moved.index("-c") + 1])
    if source.read_text().replace(str(part), str(build)) != twin.read_text() or not is_current(build, output):
        return None
    return build / output


def main():
    build, part, command = Path(os.environ["SKDE_OBJECTS_OF"]), Path.cwd() / "skde", sys.argv[1:]
    words, dependencies = without_dependencies(command)
    made = object_for(build, part, words) if "-c" in words and (build / "compile_commands.json").is_file() else None
    if made is None:
        sys.exit(subprocess.run(command).returncode)
    output = words[words.index("-o") + 1]
    shutil.copy(made, output)
    dependencies.write_text(f"{output}: {words[words.index('-c') + 1]}\n")


if __name__ == "__main__":
    main()
