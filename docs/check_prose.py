"""Checks every message and help text of the programs; fails if one breaks a rule.

usage: check_prose.py ROOT DOCUMENTS [--list]

DOCUMENTS is the folder of man pages in the build folder. --list prints all messages and help texts.
"""

import sys
from pathlib import Path

from prose_rules import dialect, help_texts, messages, other_texts, violations_of_help, violations_of_message


def main():
    root, documents = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    all_messages, all_helps = messages(root), help_texts(documents)
    if "--list" in sys.argv:
        print(*(f"{m.place}: {m.kind}: {m.text}{'; ' if m.advice else ''}{m.advice}" for m in all_messages), sep="\n")
        print(*(f"{h.place}: {h.kind}: {h.text}" for h in all_helps), sep="\n")
    violations = [line for m in all_messages for line in violations_of_message(m)]
    violations += [line for h in all_helps for line in violations_of_help(h)]
    violations += [line for place, text in other_texts(root) for line in dialect(place, text)]
    print(*violations, sep="\n")
    print(f"{len(all_messages)} messages, {len(all_helps)} help texts, {len(violations)} violations")
    return 1 if violations or not all_messages or not all_helps else 0


if __name__ == "__main__":
    sys.exit(main())
