#!/usr/bin/env python3
"""A compiler launcher: copies an object that another build made by the same command, or else compiles it.

usage: reuse_objects.py COMPILER ARGUMENTS..., in the build folder of a project that has skde in its folder skde

The other build, by Ninja, is in the folder SKDE_OBJECTS_OF. An object is copied if both builds have the same compiler,
arguments and source, and the other object is newer than all files it was made from. A folder of the system's headers
that the other object took no header from is no argument.
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


def command_of(words):
    """Returns the words of a command without the object's name and folders of the system's headers, and these folders."""
    at = words.index("-o")
    words = words[:at] + words[at + 2:]
    folders = [folder for flag, folder in zip(words, words[1:]) if flag == "-isystem"]
    kept = [word for before, word in zip([""] + words, words) if "-isystem" not in (before, word)]
    return kept, folders


def twin_of(build, words):
    """Returns the object and the source of the command of BUILD that makes the same object, and the folders of headers
    that one of the two commands has alone; or None three times.

    Objects of sources that are beside the project's folder have another name in another project.
    """
    mine, folders = command_of(words)
    for entry in json.loads((build / "compile_commands.json").read_text()):
        theirs, _ = without_dependencies(shlex.split(entry["command"]))
        if theirs[0].endswith("ccache"):
            theirs = theirs[1:]
        kept, their_folders = command_of(theirs)
        if kept == mine:
            source = Path(theirs[theirs.index("-c") + 1])
            return theirs[theirs.index("-o") + 1], source, set(folders) ^ set(their_folders)
    return None, None, None


def made_from(build, output):
    """Returns the files that an object of BUILD was made from."""
    found = subprocess.run(["ninja", "-C", build, "-t", "deps", output], capture_output=True, text=True)
    return [build / line.strip() for line in found.stdout.splitlines() if line.startswith(" ")]


def is_current(file, sources, without):
    """Returns whether an object is newer than all files it was made from, of which none is in a folder of WITHOUT."""
    if not sources or not file.is_file():
        return False
    if any(source.resolve().is_relative_to(Path(folder).resolve()) for source in sources for folder in without):
        return False
    made = file.stat().st_mtime_ns
    return all(source.is_file() and source.stat().st_mtime_ns <= made for source in sources)


def object_for(build, part, words):
    """Returns the object of BUILD that the command would make again, and the files it was made from; or None twice."""
    source = Path(words[words.index("-c") + 1])
    output, twin, without = twin_of(build, [word.replace(str(part), str(build)) for word in words])
    if output is None or source.read_text().replace(str(part), str(build)) != twin.read_text():
        return None, None
    sources = made_from(build, output)
    return (build / output, sources) if is_current(build / output, sources, without) else (None, None)


def main():
    build, part, command = Path(os.environ["SKDE_OBJECTS_OF"]), Path.cwd() / "skde", sys.argv[1:]
    words, dependencies = without_dependencies(command)
    made = None
    if "-c" in words and (build / "compile_commands.json").is_file():
        made, sources = object_for(build, part, words)
    if made is None:
        sys.exit(subprocess.run(command).returncode)
    output = words[words.index("-o") + 1]
    shutil.copy(made, output)
    needed = [words[words.index("-c") + 1], *map(str, sources)]
    dependencies.write_text(f"{output}: {' '.join(needed)}\n")


if __name__ == "__main__":
    main()
