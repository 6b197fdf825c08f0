"""Prints every violation of the tree's rules; fails if there is one.

usage: check_structure.py ROOT
"""

import sys

from structure_rules import check, project_files
from pathlib import Path


def main():
    root = Path(sys.argv[1]).resolve()
    violations = check(root)
    print(*violations, sep="\n")
    print(f"{len(project_files(root))} files, {len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
