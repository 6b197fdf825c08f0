"""Checks that each patch of this folder applies and names a test that is there. ./dev mutants compiles them.

usage: check_mutants.py ROOT
"""

import re
import sys
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


def check(root):
    """(problems, patches that apply)"""
    count, problems, names = 0, [], {}
    for patch in sorted((root / "tests/mutants").glob("*/*.patch")):
        try:
            mutant = read_mutant(patch)
            patched(root / mutant.file, mutant)
            count += 1
        except (BrokenPatch, OSError) as error:
            problems.append(str(error))
            continue
        if mutant.layer not in names:
            names[mutant.layer] = list(case_names(root / "tests" / mutant.layer))
        if not names_a_test(mutant, names[mutant.layer]):
            problems.append(f"{patch.name}: tests/{mutant.layer} has no test '{mutant.case}'")
    return problems, count


def main():
    problems, count = check(Path(sys.argv[1]).resolve())
    print(*problems, sep="\n")
    print(f"{count} patches apply, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
