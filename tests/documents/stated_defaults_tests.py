"""Checks that flags do nothing with the defaults that help pages state: stated_defaults_tests.py SKDE."""
import json
import os
import re
import subprocess
import sys
import tempfile

SKDE = os.path.abspath(sys.argv[1])
ROWS = "".join(f"{i % 7} {i * i % 11} {i * i * i % 13} {i % 3 + 1}\n" for i in range(60))
VOLATILE = {"seconds", "fit_seconds", "arrange_seconds", "stages", "updates_per_second", "peak_memory", "forecast",
            "written"}
# Command lines whose results depend on their command's flags, and the flags that each is for; none: all of them.
LINES = {
    "density a.xyz -o out.npy --dims 8": (), "density a.xyz -o out.npy": ("dims",),
    "density a.xyz -o out.npy --dims 8 --adaptive": ("adaptive-alpha",),
    "density a.xyz -o out.npy --dims 8 --widths 4": ("width-form", "min-width"),
    "density a.xyz -o out.vti --dims 8 --by 4": ("by-bandwidth", "by-normalize", "max-categories"),
    "density a.xyz -o out.skp --dims 8 --moments m.json": ("part",),
    "bandwidth a.xyz": (), "bandwidth a.xyz --method lscv --subsample 30": ("seed",),
    "bandwidth a.xyz --method bootstrap --realizations 1": ("dims", "reference", "seed"),
    "bandwidth a.xyz --method bootstrap --dims 3": ("realizations",),
    "eval a.xyz -o out.csv": (), "smooth a.xyz --value 4 -o out.vti --dims 8": (),
    "fit a.xyz -k 2 --dims 6 --steps 1 -o out.npy": ("loss", "kernel", "precision"),
    "fit a.xyz -k 2 --dims 4 -o out.npy": ("steps",),
    "fit a.xyz -k 2 --dims 4 -o out.npy --loss likelihood --hold-out 0.5": ("seed",),
    "info a.xyz": (), "moments a.xyz": (), "merge a.skp -o out.npy": (), "compare a.npy b.npy -o out.npy": (),
    "levels a.npy": (), "slice a.npy -o out.npy": (), "project a.npy -o out.csv": (),
    "sample a.xyz -o out.csv": ("samples", "seed"),
    "organise a.xyz -o out.csv": (), "sort a.xyz --by morton -o out.xyz": (), "generate uniform -o out.csv": (),
    "engines --for a.xyz": ("engine", "precision", "dims")}
# Whose defaults are no values, but words about them; and the one that takes a GPU.
UNCHECKED = {"where", "hold-out", "device", "threads"}


def stated_defaults(command):
    """The flags of a command with values, and the values that its help page states, as far as they are values."""
    page = subprocess.run([SKDE, command, "--help", "all"], capture_output=True, text=True, check=True).stdout
    entries = re.split(r"\n(?=  (?:-\w, |    )--)|\n\n", page)
    for entry in entries:
        flag = re.match(r"  (?:-\w, |    )--([\w-]+) \S", entry)
        default = re.search(r"\[([^][]*)\]$", " ".join(entry.split()))
        value = default and re.match(r"[^\s;]+$|[^\s;,]+(?=;|, | for )", default[1])
        if flag and value:
            yield flag[1], value[0]


def plain(value):
    """A document without what differs from run to run."""
    if isinstance(value, dict):
        return {key: plain(of) for key, of in value.items() if key not in VOLATILE}
    return [plain(one) for one in value] if isinstance(value, list) else value


def values_in(path):
    """The bytes of a file without comments, which hold the command line."""
    with open(path, "rb") as file:
        return [row for row in file if path.endswith(".npy") or not row.startswith(b"#")]


def result(line, *flags):
    """What a command prints and writes, or None if it refuses the flags; and what it says on standard error."""
    for name in os.listdir("."):
        if name.startswith("out"):
            os.remove(name)
    run = subprocess.run([SKDE, *line.split(), *flags, "--json"], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return None, run.stderr
    written = {name: values_in(name) for name in os.listdir(".")
               if name.startswith("out") and name.endswith((".npy", ".csv", ".xyz"))}
    return (plain(json.loads(run.stdout)), written), run.stderr


def check(line, flags, checked):
    command = line.split()[0]
    expected, said = result(line)
    assert expected is not None, f"{line}: {said}"
    for flag, value in stated_defaults(command):
        if f"--{flag} " in line or flag in UNCHECKED or (flags and flag not in flags):
            continue
        found, said = result(line, f"--{flag}", value)
        if found is None and not flags and re.search("no effect|without|only|needs", said):
            continue  # it is for another line
        assert found is not None, f"{line} --{flag} {value}, the stated default: {said}"
        assert found == expected, f"{line}: --{flag} {value}, the stated default, changes the result"
        checked.add((command, flag))


def main():
    checked = set()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("a.xyz", "w", encoding="utf-8") as file:
            file.write(ROWS)
        for line in ("moments a.xyz -o m.json", "density a.xyz -o a.skp --dims 8 --moments m.json",
                     "density a.xyz -o a.npy --bounds=-9,-9,-9:16,20,22 --dims 8",
                     "density a.xyz -o b.npy --bounds=-9,-9,-9:16,20,22 --dims 8 --bandwidth 3"):
            subprocess.run([SKDE, *line.split(), "--quiet"], check=True)
        for line, flags in LINES.items():
            check(line, flags, checked)
        os.chdir("/")
    for flag in ("density dims", "density kernel", "fit loss", "fit steps",
                 "bandwidth realizations", "compare floor", "sample samples", "levels mass", "density max-categories"):
        assert tuple(flag.split()) in checked, f"the default of {flag} was not checked"
    print(f"{len(checked)} defaults are as stated")


main()
