"""skde-mpi on ranks of one machine: mpi_tests.py MPIEXEC SKDE_MPI SKDE bits|gpu|errors|kills."""
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

MPIEXEC, SKDE_MPI, SKDE, CHECK = sys.argv[1:5]
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_NUM_THREADS="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",
                   OMPI_MCA_hwloc_base_binding_policy="none",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_btl="^tcp")


def launched(ranks, *arguments):
    return [MPIEXEC, "-n", str(ranks), SKDE_MPI, *arguments]


def run(ranks, *arguments):
    return subprocess.run(launched(ranks, *arguments), env=ENVIRONMENT, capture_output=True, text=True, check=False)


def skde(*arguments):
    subprocess.run([SKDE, *arguments, "--quiet"], check=True, stdout=subprocess.DEVNULL)


def values(path, folder):
    """Returns the values of a volume as stored, for any format."""
    array = os.path.join(folder, "values.npy")
    skde("convert", path, "-o", array)
    with open(array, "rb") as file:
        return file.read()


def check_bits(folder, engine=()):
    """Any number of ranks gives the bits of partial sums on the CPU, in every format, with and without weights."""
    draw = random.Random(3)
    cloud, other = os.path.join(folder, "a.csv"), os.path.join(folder, "b.npy")
    with open(cloud, "w", encoding="utf-8") as file:
        file.write("x,y,z,w\n")
        for i in range(4000):
            row = [draw.gauss(0, 1), draw.gauss(5, 2), draw.gauss(-3, 0.5) + i % 2, draw.expovariate(1)]
            file.write(",".join(map(str, row)) + "\n" if i % 50 else "nan,0,0,1\n")
    skde("generate", "five-gaussians", "--samples", "5000", "-o", other)
    cases = [([cloud], ["--weights", "w", "--kernel", "biweight", "--precision", "f64"]), ([other, cloud], ["--columns", "1,2,3"]),
             ([other], ["--bandwidth", "0.4,0.3,0.9", "--bounds", "-2,-2,-2:2,2,2", "--normalize", "box"]),
             ([other], ["--kernel", "gaussian", "--tolerance", "1e-4"]),
             ([other], ["--boundary", "reflect", "--bounds", "-3,-4,-3:3,2,3"]),
             ([cloud], ["--weights", "w", "--boundary", "periodic,renormalize,reflect", "--bounds", "-3,0,-5:2,9,1"])]
    runs = ((1, "vti"), (2, "nrrd"), (3, "npy"), (4, "nc"), (8, "nrrd"))
    for number, (inputs, flags) in enumerate(cases):
        reading = [flag for pair in zip(flags[::2], flags[1::2]) if pair[0] in ("--weights", "--columns") for flag in pair]
        summing = [flag for pair in zip(flags[::2], flags[1::2]) if pair[0] != "--normalize" for flag in pair]
        moments, part, whole = (os.path.join(folder, name) for name in ("m.json", "p.skp", "whole.npy"))
        skde("moments", *inputs, *reading, "-o", moments)
        skde("density", *inputs, *summing, "--engine", "span", "--dims", "22", "--moments", moments, "-o", part)
        skde("merge", part, *(["--normalize", "box"] if "--normalize" in flags else []), "-o", whole)
        expected = values(whole, folder)
        # Starting ranks takes longer than their work: the first case runs on every number of ranks, the others on two.
        for ranks, extension in runs if number == 0 else (runs[number % 5], runs[(number + 2) % 5]):
            volume = os.path.join(folder, f"of_{ranks}.{extension}")
            done = run(ranks, *inputs, *flags, *engine, "--dims", "22", "-o", volume)
            assert done.returncode == 0, done.stderr
            assert f"{ranks}, " in done.stdout and "peak" in done.stdout, done.stdout
            assert ("cuda-chop-crop on GPU" if engine else "span, 1 thread") in done.stdout, done.stdout
            assert values(volume, folder) == expected, f"{ranks} ranks: other bits"
    check_pieces(folder, other)
    check_plan(folder, other, os.path.join(folder, "planned.vti"))
    check_messages(folder)
    # More ranks than slices.
    thin = os.path.join(folder, "thin.vti")
    assert run(5, other, "--dims", "9,9,3", "-o", thin).returncode == 0
    left = [name for name in os.listdir(folder) if ".part" in name]
    assert not left, left


def check_messages(folder):
    """Sends more samples than one message to a rank can hold."""
    cloud, one, more = (os.path.join(folder, name) for name in ("many.npy", "of_one.npy", "of_more.npy"))
    skde("generate", "five-gaussians", "--samples", "2000000", "-o", cloud)
    flags = [cloud, "--dims", "30", "--bandwidth", "0.2,0.2,0.2", "--bounds=-5,-5,-5:5,5,5", "--engine", "span"]
    assert run(1, *flags, "-o", one).returncode == 0
    for ranks in (3, 4):
        assert run(ranks, *flags, "-o", more).returncode == 0
        assert values(more, folder) == values(one, folder), f"{ranks} ranks: other bits"


def check_plan(folder, cloud, volume):
    """The plan of the ranks has the grid and the H of the run, and slabs that cover the grid; nothing is written."""
    flags = [cloud, "--dims", "9,10,21", "--kernel", "biweight"]
    for ranks in (1, 3):
        planned = run(ranks, *flags, "--plan")
        assert planned.returncode == 0 and not planned.stderr, planned.stderr
        done = run(ranks, *flags, "-o", volume)
        rows = re.findall(r"^ .* (\d+) +(\d+) to (\d+) +(span, 1 thread) +([\d.]+ \wiB) +(\S+ \w+)$", planned.stdout, re.MULTILINE)
        assert [int(row[0]) for row in rows] == list(range(ranks)), planned.stdout
        assert [int(row[1]) for row in rows] == [0, *(int(row[2]) for row in rows[:-1])] and rows[-1][2] == "21", rows
        for label in ("samples", "kernel", "H", "grid"):
            line, = re.findall(rf"^ *{label} .*$", planned.stdout, re.MULTILINE)
            assert line.split() in [one.split() for one in done.stdout.splitlines()], line
    os.unlink(volume)
    assert run(2, *flags, "--plan", "-o", volume).returncode == 0 and not os.path.exists(volume)
    short = run(2, *flags, "--plan", "--memory-limit", "1M")
    assert short.returncode == 5 and short.stderr.count("skde-mpi:") == 1, short


def extent(text):
    return tuple(map(int, re.search(r'Extent="([^"]*)"', text)[1].split()))


def check_pieces(folder, cloud):
    """Pieces of a .pvti cover the image, share a slice with the next piece, and have the values of the whole."""
    whole, index = os.path.join(folder, "one.vti"), os.path.join(folder, "of_pieces.pvti")
    assert run(1, cloud, "--dims", "9,10,21", "-o", whole).returncode == 0
    done = run(4, cloud, "--dims", "9,10,21", "-o", index)
    assert done.returncode == 0, done.stderr
    with open(index, encoding="ascii") as file:
        text = file.read()
    assert extent(text) == (0, 8, 0, 9, 0, 20) and 'Name="density"' in text, text
    with open(whole, "rb") as file:
        data = file.read()
    assert re.search(rb'Origin="[^"]*" Spacing="[^"]*"', data)[0].decode() in text
    expected = data[data.index(b"_", data.index(b"<AppendedData")) + 9:]
    begin = 0
    for piece in re.findall("<Piece [^>]*>", text):
        first, last = extent(piece)[4:]
        assert first == begin and extent(piece)[:4] == (0, 8, 0, 9), piece
        with open(os.path.join(folder, re.search('Source="([^"]*)"', piece)[1]), "rb") as file:
            held = file.read()
        assert extent(held.decode("latin1")) == extent(piece)
        start, count = held.index(b"_", held.index(b"<AppendedData")) + 9, (last - first + 1) * 90 * 4
        assert held[start:start + count] == expected[first * 360:first * 360 + count]
        begin = last
    assert begin == 20


def check_gpu(folder):
    """Ranks that share the GPUs of this machine give the bits of the CPU."""
    engines = json.loads(subprocess.run([SKDE, "engines", "--json"], capture_output=True, check=True).stdout)["engines"]
    missing = [engine.get("reason", "?") for engine in engines if engine["name"] == "cuda-chop-crop" and not engine["available"]]
    if missing:
        print("SKIPPED:", missing[0])
        return
    check_bits(folder, ("--engine", "cuda-chop-crop"))


def check_errors(folder):
    """An error on any rank gives one message, its exit code, and no file."""
    cloud, volume = os.path.join(folder, "a.csv"), os.path.join(folder, "a.vti")
    with open(cloud, "w", encoding="utf-8") as file:
        for i in range(3000):
            file.write(f"{i % 7},{i * i % 11},{i * i * i % 13}\n" if i != 2500 else "1,2,three\n")
    for ranks in (1, 3):
        broken = run(ranks, cloud, "--dims", "8", "-o", volume)
        lines = [line for line in broken.stderr.splitlines() if line.startswith("skde-mpi:")]
        assert broken.returncode == 3 and len(lines) == 1 and "line 2501" in lines[0], broken.stderr
        usage = run(ranks, cloud, "--dims", "0", "-o", volume)
        assert usage.returncode == 2 and usage.stderr.count("skde-mpi:") == 1, usage.stderr
        unknown = run(ranks, cloud, "-o", os.path.join(folder, "a.mha"), "--skip", "2501")
        assert unknown.returncode == 2 and "several ranks cannot write" in unknown.stderr, unknown.stderr
        missing = run(ranks, os.path.join(folder, "none.csv"), "-o", volume)
        assert missing.returncode == 3 and missing.stderr.count("skde-mpi:") == 1, missing.stderr
        other = run(ranks, cloud, "--skip", "2501", "--engine", "tile", "-o", volume)
        assert other.returncode == 2 and "cannot sum parts" in other.stderr, other.stderr
    assert run(2, "--help").stdout.count("Usage: skde-mpi") == 1
    assert "more flags: skde-mpi --help all" in run(2, "--help").stdout
    for flag in ("--version", "-V"):
        told = run(2, flag)
        assert told.returncode == 0 and re.fullmatch(r"skde-mpi \d+\.\d+\.\d+ \(compiler .*\)\nwith .*; without .*\n", told.stdout), told
    assert sorted(os.listdir(folder)) == ["a.csv"], os.listdir(folder)


def check_kills(folder):
    """A rank that is killed leaves no partial file."""
    cloud, volume = os.path.join(folder, "a.npy"), os.path.join(folder, "a.vti")
    skde("generate", "five-gaussians", "--samples", "20000", "-o", cloud)
    for wait_for_file in (False, True):
        with subprocess.Popen(launched(3, cloud, "--dims", "400", "--bandwidth", "0.02,0.02,0.02", "-o", volume), env=ENVIRONMENT,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as program:
            deadline = time.time() + 60
            killed = False
            while not killed and program.poll() is None and time.time() < deadline:
                ranks = subprocess.run(["pgrep", "-P", str(program.pid), "-f", SKDE_MPI], capture_output=True, text=True,
                                       check=False).stdout.split()
                writing = any(".part" in name for name in os.listdir(folder))
                if len(ranks) == 3 and (writing or not wait_for_file):
                    os.kill(int(ranks[1]), signal.SIGKILL)
                    killed = True
            try:
                program.communicate(timeout=15)
            except subprocess.TimeoutExpired:  # the launcher may miss the exit code of a rank that is gone
                left = subprocess.run(["pgrep", "-r", "R,S,D", "-P", str(program.pid), "-f", SKDE_MPI], capture_output=True,
                                      text=True, check=False).stdout.split()
                program.kill()
                assert not left, f"ranks {left} go on"
        assert killed, "the program was over before it was killed"
        assert program.returncode != 0
        time.sleep(0.5)
        assert sorted(os.listdir(folder)) == ["a.npy"], os.listdir(folder)


with tempfile.TemporaryDirectory() as scratch:
    {"bits": check_bits, "gpu": check_gpu, "errors": check_errors, "kills": check_kills}[CHECK](scratch)
