"""Calls from several threads, Ctrl-C, progress, forks, and memory over many calls."""

import concurrent.futures
import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import skde


@pytest.fixture
def many():
    return np.random.default_rng(2).normal(size=(3000, 3))


def test_threads_share_a_session_or_have_their_own(many):
    session = skde.Session(many)
    widths = [0.3, 0.4, 0.5, 0.6] * 3
    expected = {h: session.density(bandwidth=h, dims=24).values for h in set(widths)}
    at = session.evaluate(many[:50])
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        shared = list(pool.map(lambda h: session.density(bandwidth=h, dims=24).values, widths))
        points = [pool.submit(session.evaluate, many[:50]) for _ in range(6)]
        own = list(pool.map(lambda h: skde.density(many, bandwidth=h, dims=24).values, widths))
        assert all(np.array_equal(point.result(), at) for point in points)
    for h, one, other in zip(widths, shared, own):
        assert np.array_equal(one, expected[h]) and np.array_equal(other, expected[h])


def test_threads_share_a_density(many):
    density = skde.density(many, dims=24)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        levels = list(pool.map(lambda _: density.levels(0.5), range(8)))
        values = list(pool.map(lambda _: density.values, range(8)))
    assert len(set(levels)) == 1 and all(np.shares_memory(values[0], each) for each in values)


LONG = """
import os, sys, threading, time
import numpy as np, skde
xyz = np.random.default_rng(1).normal(size=(200_000, 3))
session = skde.Session(xyz)
def show(*stage):
    if show.first:
        show.first = False
        print("computing", flush=True)
show.first = True
progress = show if sys.argv[1] == "shown" else False
if not progress:
    threading.Timer(1, lambda: print("computing", flush=True)).start()
try:
    session.density(dims=256, engine="naive", progress=progress)
except KeyboardInterrupt:
    print("interrupted", session.density(dims=8, bandwidth=1).values.shape, flush=True)
"""


@pytest.mark.parametrize("way", ["shown", "silent"])
def test_ctrl_c_stops_a_long_density(way):
    run = subprocess.Popen([sys.executable, "-B", "-c", LONG, way], stdout=subprocess.PIPE, text=True)
    try:
        assert run.stdout.readline() == "computing\n"
        run.send_signal(signal.SIGINT)
        out, _ = run.communicate(timeout=60)  # the whole would take an hour
        assert out.startswith("interrupted (8, ") and run.returncode == 0
    finally:
        run.kill()
        run.wait()


def test_progress_is_told_in_order(many):
    told = []
    skde.density(many, dims=64, progress=lambda *stage: told.append(stage))
    assert told
    for stage, done, total, unit in told:
        assert isinstance(stage, str) and isinstance(unit, str) and 0 <= done and (total == 0 or done <= total)
    assert all(a[1] <= b[1] for a, b in zip(told, told[1:]) if a[0] == b[0])


class Stop(Exception):
    pass


def test_an_exception_of_progress_stops_the_call(many):
    stop = Stop("enough")

    def show(*stage):
        raise stop

    session = skde.Session(many)
    for call in (lambda: session.density(dims=64, progress=show), lambda: session.bandwidth("lscv", progress=show),
                 lambda: skde.density(many, dims=8, progress=show)):
        with pytest.raises(Stop) as caught:
            call()
        assert caught.value is stop
    assert session.density(dims=8, bandwidth=1).values.max() > 0
    with pytest.raises(TypeError):
        session.density(dims=8, progress="yes")


def test_progress_may_not_compute(many):
    session = skde.Session(many)
    with pytest.raises(skde.UsageError, match="progress") as caught:
        session.density(dims=64, progress=lambda *stage: session.density(dims=8))
    assert caught.value.parameter == "progress"


def test_a_bar_clears_its_line(many, capsys):
    skde.density(many, dims=64, progress=True)
    shown = capsys.readouterr().err
    assert shown.startswith("\r") and shown.endswith("\r") and "accumulate" in shown


def in_child(work):
    """The exit code of a forked process that runs work()."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(work())
        finally:
            os._exit(99)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_fork_after_use_says_so(many):
    session = skde.Session(many)
    values = session.density(dims=8, bandwidth=1).values

    def work():
        for call in (lambda: session.density(dims=8), lambda: skde.density(many, dims=8),
                     lambda: session.evaluate(many[:1])):
            try:
                call()
                return 1
            except skde.Error as error:
                if "forked" not in str(error) or "spawn" not in error.suggestion or error.kind != "unsupported":
                    return 2
        return 0 if values.max() > 0 else 3  # which need no threads

    assert in_child(work) == 0
    assert np.array_equal(session.density(dims=8, bandwidth=1).values, values)


FORKED = """
import multiprocessing, sys, numpy as np, skde
def facts(d):
    try:
        d.levels(0.5)
        return None
    except skde.Error as error:
        assert "forked" in str(error)
    assert skde.read  # which is there
    return [float(d.values.sum()), float(d.projection("z").sum()), d.summary["samples"]["used"], d.H.ravel().tolist(),
            float(d.slice("x").sum()), d.plan["grid"]["dims"]]
if __name__ == "__main__":
    d = skde.density(np.random.default_rng(1).normal(size=(1000, 3)), dims=64, threads=2)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        (found,) = pool.map_async(facts, [d]).get(60)
    other = [float(d.values.sum()), float(d.projection("z").sum()), d.summary["samples"]["used"], d.H.ravel().tolist(),
             float(d.slice("x").sum()), d.plan["grid"]["dims"]]
    print(np.allclose(np.hstack(found), np.hstack(other), rtol=1e-12))
"""


def test_a_density_goes_to_a_forked_worker(tmp_path, run_python):
    (tmp_path / "forked.py").write_text(FORKED)
    assert run_python(f"import runpy; runpy.run_path({str(tmp_path / 'forked.py')!r}, run_name='__main__')").strip() == "True"


def test_a_fork_before_use_is_fine(run_python):
    assert run_python("""
import os, numpy as np, skde
xyz = np.eye(5, 3)
for _ in range(2):
    child = os.fork()
    if child == 0:
        os._exit(0 if skde.density(xyz, bandwidth=1, dims=4).values.max() > 0 else 1)
    assert os.waitpid(child, 0)[1] == 0
print(skde.density(xyz, bandwidth=1, dims=4).values.shape[2])
""").strip() == "4"


def test_multiprocessing_by_spawn(run_python, tmp_path):
    script = tmp_path / "spawned.py"
    script.write_text("""
import multiprocessing, numpy as np, skde
def mass(h):
    return skde.density(np.eye(5, 3), bandwidth=h, dims=16)
if __name__ == "__main__":
    skde.density(np.eye(5, 3), bandwidth=1, dims=4)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print([round(d.mass, 1) for d in pool.map(mass, [0.9, 1.1])])
""")
    assert run_python(f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')").strip() == "[1.0, 1.0]"


STOPPED = """
import os, signal, threading, time
import numpy as np, skde
xyz = np.random.default_rng(0).normal(size=(100, 3))
d, m = skde.density(xyz, dims=8), skde.Mixture([1], [[0, 0, 0]], [np.eye(3)])
many = np.random.default_rng(1).random((500_000, 3))
for work in (lambda **k: d.sample(4_000_000, **k), lambda **k: m.sample(4_000_000, **k), lambda **k: skde.sort(many, **k)):
    told = []
    def show(*stage):
        told.append(stage)
        os.kill(os.getpid(), signal.SIGINT)
    try:
        work(progress=show)
        print("whole")
    except KeyboardInterrupt:
        print("stopped", len(told) > 0 and told[-1][1] < 4_000_000)
"""


def test_ctrl_c_and_progress_of_draws_and_orders(run_python):
    assert run_python(STOPPED).splitlines() == ["stopped True"] * 3


FEW = """
import json, os, sys, numpy as np, skde
x = np.random.default_rng(0).normal(size=(5000, 3))
def used(**keywords):
    return skde.density(x, dims=32, engine="naive", **keywords).summary["engine"]["launch_policy"].split()[0]
print(used(), used(threads=2), len(os.listdir("/proc/self/task")) <= 2 + int(os.environ.get("OPENBLAS_NUM_THREADS", 1)))
try:
    import threadpoolctl
    with threadpoolctl.threadpool_limits(1):
        print(used())
except ImportError:
    print(1)
"""


@pytest.mark.parametrize("limit", ["OMP_NUM_THREADS", "SLURM_CPUS_PER_TASK"])
def test_limits_on_threads_are_heeded(limit, monkeypatch, run_python, tmp_path):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv(limit, "1")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    assert run_python(FEW).split() == ["1", "2", "True", "1"]
    program = os.environ.get("SKDE_PROGRAM")
    if program:
        np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(5000, 3)))
        run = subprocess.run([program, "density", tmp_path / "x.npy", "--engine", "naive", "--dims", "32", "--json", "-o",
                              tmp_path / "d.vti"], capture_output=True, text=True, check=True)
        assert json.loads(run.stdout)["engine"]["launch_policy"].startswith("1 thread")


FLAT = """
import gc, resource, warnings
import numpy as np, skde
warnings.simplefilter("ignore")
def rss():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()
xyz = np.random.default_rng(1).normal(size=(200, 3))
session = skde.Session(xyz)
def call(i):
    density = session.density(dims=8, bandwidth=0.5 + i % 7 / 10, threads=1)
    session.evaluate(xyz[:4], threads=1)
    assert density.values.shape
    if i % 50 == 0:
        density.levels(0.5), density.summary, density.plan, density.metadata, density.sample(3)
        try:
            session.density(dims=0)
        except ValueError:
            pass
def opened(i):
    assert skde.Session(xyz + i % 3, weights=np.ones(200)).density(dims=8, threads=1).values.shape
for work, count in ((call, CALLS), (opened, SESSIONS)):
    for i in range(count // 5):
        work(i)
    before = rss()
    for i in range(count):
        work(i)
    print(work.__name__, count, (rss() - before) / 2**20)
"""


@pytest.mark.parametrize("calls, sessions", [(2000, 200)])
def test_memory_is_flat(run_python, calls, sessions):
    for line in run_python(FLAT.replace("CALLS", str(calls)).replace("SESSIONS", str(sessions))).splitlines():
        work, count, grown = line.split()
        assert float(grown) < 4, f"{grown} MiB more after {count} of {work}"
