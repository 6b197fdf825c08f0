"""Prints where the last build and the last tests took their time: build_times.py BUILD_FOLDER

Object-seconds are the sum of the compilers' times; a group is a unity file, named after its sources.
`./dev times` calls it.
"""

import os
import re
import sys
from collections import Counter
from pathlib import Path

ROWS = 20


def step_seconds(build):
    """Returns the seconds that the last build took for each output."""
    seconds = {}
    for line in (build / ".ninja_log").read_text().splitlines()[1:]:
        start, end, _, output, _ = line.split("\t")
        seconds[output] = (int(end) - int(start)) / 1000
    return seconds


def sources_of(build, output):
    """Returns the source of an object, or all sources that its unity file includes, as paths in the tree."""
    folder, _, file = output.removesuffix(".o").partition("CMakeFiles/")
    target, _, file = file.partition(".dir/")
    unity = build / folder / "CMakeFiles" / f"{target}.dir" / file
    if "Unity/" not in file or not unity.is_file():
        return [Path(os.path.normpath(Path(folder, file.replace("__", ".."))))]
    names = re.findall(r'#include "([^"]+)"', unity.read_text())
    return [Path(os.path.relpath(name, build.parent)) for name in names]


def source_name(sources):
    if len(sources) == 1:
        return str(sources[0])
    return f"{sources[0]} to {sources[-1].name}, {len(sources)} files"


def test_seconds(build):
    log = build / "Testing/Temporary/LastTest.log"
    if not log.is_file():
        return {}
    text = log.read_text(errors="replace")
    found = re.findall(r"^\d+/\d+ Test: (.+?)$.*?^Test time = +([\d.]+) sec$", text, re.MULTILINE | re.DOTALL)
    return {name: float(seconds) for name, seconds in found}


def print_table(title, seconds):
    print(f"\n{title}")
    for name, value in Counter(seconds).most_common(ROWS):
        print(f"{value:8.1f} s  {name}")


def main():
    build = Path(sys.argv[1]).resolve()
    if not (build / ".ninja_log").is_file():
        sys.exit(f"build_times: {build} holds no build: run ./dev test first")
    steps = step_seconds(build)
    files, folders = Counter(), Counter()
    for output, seconds in steps.items():
        if output.endswith(".o"):
            sources = sources_of(build, output)
            files[source_name(sources)] += seconds
            folders[os.path.commonpath([source.parent for source in sources])] += seconds
    others = sum(seconds for output, seconds in steps.items() if not output.endswith(".o") and not output.startswith("/"))
    print(f"{sum(files.values()):.0f} object-seconds, {others:.0f} s of links and other steps")
    print_table("object-seconds by folder", folders)
    print_table("slowest sources", files)
    tests = test_seconds(build)
    if not tests:
        return print("\nno test has run in this folder yet")
    labels = Counter()
    for name, seconds in tests.items():
        labels[name.partition(":")[0]] += seconds
    print(f"\n{len(tests)} tests, {sum(tests.values()):.0f} test-seconds")
    print_table("test-seconds by folder of tests", labels)
    print_table("slowest tests", tests)


if __name__ == "__main__":
    main()
