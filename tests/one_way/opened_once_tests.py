"""Every file of a run of skde is opened once, for any format and command.

usage: opened_once_tests.py SKDE COUNTED_OPENS.so FOREIGN [--table]

COUNTED_OPENS.so (counted_opens.cpp) reports each file that the program, its libraries and its child programs open.
FOREIGN is data/foreign. With --table it prints all counts.
"""

import argparse
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from pathlib import Path

# After a check that all values are in the file itself, libnetcdf opens it by its name, two or three times.
BY_LIBRARY = {".nc": 4}

POINTS = [(i % 7 + 0.1 * i, (3 * i) % 5 - 0.07 * i, (5 * i) % 11 + 0.03 * i) for i in range(40)]
ROWS = [(*point, 1.0 + i % 3, float(i % 4)) for i, point in enumerate(POINTS)]
COLUMNS = ["x", "y", "z", "heat", "kind"]
KERNEL = ["--bandwidth", "2,2,2"]


def text_rows(rows, separator=" "):
    return "".join(separator.join(f"{value:.9g}" for value in row) + "\n" for row in rows)


def npy_head(rows, columns):
    head = repr({"descr": "<f8", "fortran_order": False, "shape": (rows, columns)}).ljust(117) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode()


def npy(rows, columns):
    return npy_head(len(rows), columns) + b"".join(struct.pack(f"<{columns}d", *row) for row in rows)


def ply(rows, columns, encoding="ascii"):
    head = f"ply\nformat {encoding} 1.0\nelement vertex {len(rows)}\n"
    head += "".join(f"property double {name}\n" for name in columns) + "end_header\n"
    if encoding == "ascii":
        return (head + text_rows(rows)).encode()
    return head.encode() + b"".join(struct.pack(f"<{len(columns)}d", *row) for row in rows)


def splats():
    columns = ["x", "y", "z", "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"]
    return ply([(*point, 1, 0.1, 0.2, 0.3, 1, 0, 0, 0) for point in POINTS], columns)


def las():
    lower, upper = (min, max)
    head = bytearray(227)
    head[0:4] = b"LASF"
    head[24:26] = bytes([1, 2])
    struct.pack_into("<HIIBHI", head, 94, 227, 227, 0, 0, 20, len(POINTS))
    struct.pack_into("<3d3d", head, 131, 0.001, 0.001, 0.001, 0, 0, 0)
    struct.pack_into("<6d", head, 179, *(f(p[axis] for p in POINTS) for axis in range(3) for f in (upper, lower)))
    records = b"".join(struct.pack("<3iHBBbBH", *(round(1000 * v) for v in p), 0, 9, 2, 0, 0, 0) for p in POINTS)
    return bytes(head) + records


def pcd():
    count = len(ROWS)
    return (f"# .PCD v0.7\nVERSION 0.7\nFIELDS {' '.join(COLUMNS)}\nSIZE 8 8 8 8 8\nTYPE F F F F F\nCOUNT 1 1 1 1 1\n"
            f"WIDTH {count}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {count}\nDATA ascii\n" + text_rows(ROWS)).encode()


class Opens:
    """Runs skde and counts which files of the folder it opens."""

    def __init__(self, skde, library, folder):
        self.skde, self.library, self.folder = skde, library, folder
        self.table, self.wrong = [], []

    def run(self, arguments, inputs, stdin=None, exits=(0,)):
        """Runs skde; arguments name files of the folder as "{name}", and each of `inputs` must be opened once."""
        reading, writing = os.pipe()
        orders = {"LD_PRELOAD": self.library, "SKDE_COUNTED_OPENS": f"{writing}:{self.folder}/",
                  "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}
        command = [self.skde, *(part.replace("{", f"{self.folder}/").replace("}", "") for part in arguments)]
        done = subprocess.run(command, env={**os.environ, **orders}, pass_fds=[writing], stdin=stdin or subprocess.DEVNULL,
                              capture_output=True, text=True)
        os.close(writing)
        with os.fdopen(reading) as lines:
            opened = Counter(line.strip().removeprefix(f"{self.folder}/") for line in lines)
        self.table.append((arguments, {name: opened[name] for name in inputs}))
        if done.returncode not in exits:
            self.wrong.append(f"{' '.join(arguments)}: exit code {done.returncode}: {done.stderr.strip()}")
        for name in inputs:
            due = BY_LIBRARY.get(Path(name).suffix, 1)
            if not 0 < opened[name] <= due:
                self.wrong.append(f"{' '.join(arguments)}: {name} was opened {opened[name]} times instead of {due}")


def write_clouds(folder, foreign):
    """Writes clouds of three points in the formats of skde and of other programs, with their columns."""
    own = {"a.csv": (",".join(COLUMNS) + "\n" + text_rows(ROWS, ",")).encode(), "a.npy": npy(ROWS, 5),
           "a.ply": ply(ROWS, COLUMNS, "binary_little_endian"), "splats.ply": splats(), "a.las": las(), "a.pcd": pcd()}
    for name, content in own.items():
        (folder / name).write_bytes(content)
    with zipfile.ZipFile(folder / "a.npz", "w") as archive:
        archive.writestr("points.npy", npy(ROWS, 5))
    times = 10000
    data = npy(POINTS, 3)[128:] * times
    (folder / "large.npy").write_bytes(npy_head(times * len(POINTS), 3) + data)
    (folder / "large.csv").write_text(text_rows(POINTS) * times)
    (folder / "places.csv").write_text("longitude,latitude,depth\n" + text_rows(POINTS, ","))
    others = ["vtk.vtk", "vtk.vtp", "astropy.fits", "h5py.hdf5"]
    for name in others:
        shutil.copy(foreign / name, folder)
    return [*own, "a.npz"], others


def check_clouds(opens, own, others):
    box = ["--bounds", "-9,-9,-9:19,19,19", "--dims", "6", "--quiet"]
    for name in [*own, *others]:
        cloud = "{" + name + "}" + (":/points" if name == "h5py.hdf5" else "")
        kernel = [] if name == "splats.ply" else KERNEL
        for command in (["density", cloud, *box, "-o", "{out.vti}"], ["density", cloud, *box, "--plan"],
                        ["eval", cloud, "--quiet", "-o", "{out.csv}"], ["engines", "--for", cloud, *box],
                        ["sample", cloud, "--samples", "5", "--quiet", "-o", "{out.csv}"]):
            opens.run([*command, *kernel], [name])
        opens.run(["density", cloud, *box, "--widths", "none", *KERNEL, "--part", "1/2", "-o", "{out.skp}"], [name])
        opens.run(["info", cloud, "--quiet"], [name])
        opens.run(["moments", cloud, "--quiet", "-o", "{out.json}"], [name])
    for name in own:
        opens.run(["fit", "{" + name + "}", "-k", "2", "--steps", "2", "--dims", "6", "--quiet", "-o", "{out.csv}"], [name])
        opens.run(["bandwidth", "{" + name + "}", "--quiet"], [name])
    for name in ("a.csv", "a.ply", "a.pcd"):
        cloud = "{" + name + "}"
        opens.run(["smooth", cloud, "--value", "heat", "--bandwidth", "2", *box, "-o", "{out.vti}"], [name])
        opens.run(["smooth", cloud, "--value", "heat", *KERNEL, "--at", cloud, "--quiet", "-o", "{out.csv}"], [name])
        opens.run(["density", cloud, "{large.npy}", *KERNEL, *box, "-o", "{out.vti}"], [name, "large.npy"])
        opens.run(["density", cloud, "--by", "kind", "--bandwidth", "2", *box, "-o", "{out.vti}"], [name])


def check_passes(opens):
    """Checks files that are read more than once, or by several threads."""
    small = ["--dims", "6", "--quiet", "-o", "{out.vti}"]
    for name in ("large.npy", "large.csv"):
        cloud = "{" + name + "}"
        opens.run(["density", cloud, *small], [name])
        opens.run(["density", cloud, *small, "--memory-limit", "167M"], [name])
        opens.run(["moments", cloud, "--quiet", "-o", "{out.json}"], [name])
    opens.run(["density", "{places.csv}", "--geographic", "tangent", *small], ["places.csv"])
    opens.run(["eval", "{a.npy}", "--at", "{a.csv}", "--quiet", "-o", "{out.csv}"], ["a.npy", "a.csv"])
    opens.run(["eval", "{a.npy}", "--loo", "--quiet", "-o", "{out.csv}"], ["a.npy"])
    with open(opens.folder / "a.csv", encoding="utf-8") as rows_of_a_pipe:
        opens.run(["density", "-", *small], [], stdin=rows_of_a_pipe)


def check_parts(opens):
    names = []
    opens.run(["moments", "{a.npy}", "--quiet", "-o", "{whole.json}"], ["a.npy"])
    for part in ("1/2", "2/2"):
        names.append((f"m{part[0]}.json", f"p{part[0]}.skp"))
        opens.run(["moments", "{a.npy}", "--part", part, "--quiet", "-o", "{" + names[-1][0] + "}"], ["a.npy"])
        opens.run(["density", "{a.npy}", "--part", part, "--moments", "{whole.json}", "--dims", "6", "--quiet",
                   "-o", "{" + names[-1][1] + "}"], ["a.npy", "whole.json"])
    moments, sums = zip(*names)
    opens.run(["merge", *("{" + name + "}" for name in moments), "--quiet", "-o", "{all.json}"], moments)
    opens.run(["merge", *("{" + name + "}" for name in sums), "--quiet", "-o", "{all.vti}"], sums)


def check_volumes(opens):
    small = ["--bandwidth", "2", "--dims", "6", "--quiet"]
    opens.run(["density", "{a.csv}", *small, "-o", "{other.vti}"], ["a.csv"])
    for suffix in ("vti", "nrrd", "npy", "nc", "vdb", "nii", "nii.gz", "mha"):
        name = f"v.{suffix}"
        volume = "{" + name + "}"
        opens.run(["density", "{a.csv}", *small, "-o", volume], ["a.csv"])
        if opens.wrong and "cannot write" in opens.wrong[-1]:  # a build without that format
            opens.wrong.pop()
            continue
        beside = [name + ".json"] if suffix == "npy" else []
        for command in (["info", volume], ["info", volume, "--json"], ["convert", volume, "-o", "{out.nrrd}"],
                        ["levels", volume], ["iso", volume, "--mass", "0.5", "-o", "{out.ply}"],
                        ["slice", volume, "--at", "1", "-o", "{out.csv}"],
                        ["project", volume, "--axis", "z", "-o", "{out.csv}"], ["compare", volume, "{other.vti}", "--json"],
                        ["density", "{a.csv}", "--bandwidth", "2", "--like", volume, "-o", "{out.nrrd}"]):
            opens.run([*command, *([] if "--json" in command else ["--quiet"])], [name, *beside])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("skde")
    parser.add_argument("library")
    parser.add_argument("foreign")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        opens = Opens(options.skde, options.library, folder)
        own, others = write_clouds(folder, Path(options.foreign))
        check_clouds(opens, own, others)
        check_passes(opens)
        check_parts(opens)
        check_volumes(opens)
    if options.table:
        for arguments, opened in opens.table:
            print(" ".join(arguments), *(f"  {name}: {count}" for name, count in opened.items()))
    for wrong in opens.wrong:
        print(wrong, file=sys.stdout if options.table else sys.stderr)
    return 1 if opens.wrong and not options.table else 0


if __name__ == "__main__":
    sys.exit(main())
