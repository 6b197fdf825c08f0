#!/usr/bin/env python3
"""A compiler launcher: copies an object that another build has made by the same command, or compiles it.

usage: reuse_objects.py COMPILER ARGUMENTS..., in the build folder of a project that has skde in its folder skde

The other build, by Ninja, is that in SKDE_OBJECTS_OF. An object is copied where both builds have the same compiler,
arguments and source, and the other object is newer than all that it was made from.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

DEPENDENCY_FLAGS = {"-MD": 1, "-MT": 2, "-MF": 2}  # and how many words each takes


def without_dependencies(words):
    """The words of a command but for those about its file of dependencies, and that file."""
    kept, file, at = [], None, 0
    while at < len(words):
        if words[at] == "-MF":
            file = Path(words[at + 1])
        if words[at] not in DEPENDENCY_FLAGS:
            kept.append(words[at])
        at += DEPENDENCY_FLAGS.get(words[at], 1)
    return kept, file


def command_of(build, output):
    """The words of the command by which BUILD makes an object, from the compiler on; none where it does not."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        if output in words:
            return words[1:] if words[0].endswith("ccache") else words
    return []


def is_current(build, output):
    found = subprocess.run(["ninja", "-C", build, "-n", output], capture_output=True, text=True)
    return found.returncode == 0 and "no work to do" in found.stdout


def object_for(build, part, words):
    """The object of BUILD that the command would make again; None where there is none."""
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
