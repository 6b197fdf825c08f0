"""Runs Doxygen to find public names without a comment, in skde.hpp and the headers that it includes.

usage: check_documentation.py ROOT
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from structure_rules import DOOR, includes_of, project_files, reached_by

SETTINGS = """
INPUT = {headers}
STRIP_FROM_PATH = "{root}"
INCLUDE_PATH = "{root}/src"
OUTPUT_DIRECTORY = "{output}"
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
QUIET = YES
WARN_IF_UNDOCUMENTED = YES
WARN_NO_PARAMDOC = NO
WARN_FORMAT = "$file:$line: $text"
"""


def warnings_of(root):
    graph, _ = includes_of(root, set(project_files(root)))
    headers = " ".join(f'"{root / path}"' for path in sorted({DOOR, *reached_by(DOOR, graph)}))
    with tempfile.TemporaryDirectory() as output:
        settings = SETTINGS.format(headers=headers, root=root, output=output)
        done = subprocess.run(["doxygen", "-"], input=settings, text=True, capture_output=True, check=True)
    return [line.removeprefix(f"{root}/") for line in done.stderr.splitlines() if line.strip()]


def main():
    warnings = warnings_of(Path(sys.argv[1]).resolve())
    print(*warnings, sep="\n")
    print(f"{len(warnings)} warnings")
    return 1 if warnings else 0


if __name__ == "__main__":
    sys.exit(main())
