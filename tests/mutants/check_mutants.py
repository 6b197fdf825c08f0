"""Checks that each patch of this folder applies, names a test that is there, and compiles.

usage: check_mutants.py ROOT [BUILD]

With the folder of a build, patched sources are compiled, as far as errors go, by its commands: those of one target
together, which reads their headers once, and with all patches of a file that go together. Sources that the build leaves
out are not.
"""

import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from mutant_patches import BrokenPatch, patched, read_mutant

CASE = re.compile(r'TEST_CASE(?:_METHOD)?\(\s*(?:\w+,\s*)?((?:"(?:[^"\\]|\\.)*"\s*)+)')


def case_names(folder):
    """The names of a folder's tests."""
    for source in folder.glob("*.cpp"):
        for found in CASE.findall(source.read_text()):
            yield "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', found)).replace('\\"', '"')


def names_a_test(mutant, names):
    wanted = mutant.case
    return any(name.startswith(wanted[:-1]) if wanted.endswith("*") else name == wanted for name in names)


def applied(root):
    """(mutants whose patches apply, problems)"""
    mutants, problems, names = [], [], {}
    for patch in sorted((root / "tests/mutants").glob("*/*.patch")):
        try:
            mutant = read_mutant(patch)
            patched(root / mutant.file, mutant)
            mutants.append(mutant)
        except (BrokenPatch, OSError) as error:
            problems.append(str(error))
            continue
        if mutant.layer not in names:
            names[mutant.layer] = list(case_names(root / "tests" / mutant.layer))
        if not names_a_test(mutant, names[mutant.layer]):
            problems.append(f"{patch.name}: tests/{mutant.layer} has no test '{mutant.case}'")
    return mutants, problems


def compile_commands(build):
    """The command of each source, by its path; sources of a group have that of the group."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = Path(entry["file"])
        sources = re.findall(r'#include "([^"]+)"', file.read_text()) if "/Unity/" in str(file) else [file]
        for source in sources:
            commands.setdefault(Path(source), entry)
    return commands


def source_for(root, mutant, commands):
    """The source that shows the change: the file itself, or one that includes the header."""
    changed = root / mutant.file
    if changed in commands:
        return changed
    line = f'#include "{"/".join(Path(mutant.file).parts[1:])}"'
    ready = (source for source in commands if source.is_file())  # which those that are generated may not be
    return next((source for source in ready if line in source.read_text()), None)


class Unit:
    """Patched sources that are compiled together: by one command's options, and each with all patches that fit."""

    def __init__(self, entry, root, folder):
        self.entry, self.root, self.folder = entry, root, folder
        self.sources = {}  # the patched copy of each changed file, and the source that shows it
        self.names = []

    def takes(self, mutant, shown):
        """Whether the patch could be added to those of its file."""
        changed = self.root / mutant.file
        copy = self.folder / mutant.file
        try:
            text = patched(copy if copy.exists() else changed, mutant)
        except BrokenPatch:
            return False
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text)
        self.sources[changed] = (copy, shown)
        self.names.append(mutant.name)
        return True

    def errors(self):
        arguments = shlex.split(self.entry["command"])
        if arguments[0].endswith("ccache"):
            arguments = arguments[1:]
        source = arguments.index("-c") + 1
        includes, roots = [], []
        for changed, (copy, shown) in self.sources.items():
            is_header = shown != changed
            includes.append(shown if is_header else copy)
            roots += ["-I", str(self.folder / changed.relative_to(self.root).parts[0])] if is_header else []
            roots += ["-iquote", str(changed.parent)]
        unit = self.folder / "unit.cpp"
        unit.write_text("".join(f'#include "{name}"\n' for name in includes))
        output = arguments.index("-o")
        arguments[source] = str(unit)
        del arguments[output:output + 2]
        command = [arguments[0], *roots, *arguments[1:], "-fsyntax-only", "-w"]
        found = subprocess.run(command, cwd=self.entry["directory"], capture_output=True, text=True)
        return found.stderr if found.returncode != 0 else ""


def options_of(entry):
    """What tells the commands of two sources apart but for their names."""
    arguments = shlex.split(entry["command"])
    return tuple(word for word in arguments if word.startswith(("-D", "-f", "-m", "-std")))


def units_of(root, mutants, commands, folder):
    units = defaultdict(list)
    for mutant in mutants:
        shown = source_for(root, mutant, commands)
        if shown is None:
            continue
        entry, changed = commands[shown], root / mutant.file
        target = re.search(r"CMakeFiles/(\w[\w-]*)\.dir", entry["command"]).group(1)
        of_target = units[target, options_of(entry), changed if shown != changed else None]
        if not any(unit.takes(mutant, shown) for unit in of_target):
            of_target.append(Unit(entry, root, Path(tempfile.mkdtemp(dir=folder))))
            of_target[-1].takes(mutant, shown)
    return [unit for of_target in units.values() for unit in of_target]


def check(root, build=None):
    """(problems, patches that apply, patches that were compiled)"""
    mutants, problems = applied(root)
    compiled = 0
    with tempfile.TemporaryDirectory() as folder:
        for unit in units_of(root, mutants, compile_commands(build), folder) if build else []:
            compiled += len(unit.names)
            errors = unit.errors()
            if errors:
                problems.append(f"{', '.join(unit.names)}: {errors}")
    return problems, len(mutants), compiled


def main():
    problems, count, compiled = check(*(Path(name).resolve() for name in sys.argv[1:]))
    print(*problems, sep="\n")
    print(f"{count} patches apply, {compiled} were compiled, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
