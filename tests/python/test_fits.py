"""Fits of mixtures: known ones are found; samples, sessions and files give the same; errors, warnings and Ctrl-C."""

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import skde


def nearest(mixture, mean):
    return int(np.linalg.norm(mixture.means - mean, axis=1).argmin())


@pytest.mark.parametrize("form", ["path", "density"])
def test_a_fit_finds_a_known_mixture(known, volume, form):
    density = skde.read(volume)
    mixture = skde.fit(str(volume) if form == "path" else density, k=3, steps=600)
    assert len(mixture) == 3
    for mass, mean, covariance in zip(known.masses, known.means, known.covariances):
        at = nearest(mixture, mean)
        assert mixture.masses[at] == pytest.approx(mass, abs=3e-3) and np.allclose(mixture.means[at], mean, atol=0.01)
        assert np.allclose(mixture.covariances[at], covariance, atol=0.02)
    facts, fitted = mixture.facts, mixture.on(density, precision="f64").values
    error = np.sqrt(((fitted - density.values) ** 2).sum() / (density.values ** 2).sum())
    assert facts["relative_error"] == pytest.approx(error, rel=1e-2) and error < 2e-3
    assert facts["members"] == 3 and facts["steps"] == 600 and facts["parameters"] == 30
    assert facts["mass.fitted"] == pytest.approx(mixture.masses.sum()) and facts["mass.given"] == pytest.approx(density.mass)
    assert "relative error" in repr(mixture)


def test_fits_of_samples(known):
    xyz = known.sample(4000, seed=1)
    request = {"bandwidth": 0.3, "dims": 20}
    density = skde.density(xyz, kernel="gaussian", **request)
    mixture = skde.fit(density, k=8, steps=60)
    assert np.allclose(mixture.H, density.H) and mixture.facts["effective_samples"] == 4000
    for other in (skde.fit(xyz, k=8, steps=60, **request), skde.fit(skde.Session(xyz), k=8, steps=60, **request)):
        for name in ("masses", "means", "covariances", "H"):
            assert np.array_equal(getattr(other, name), getattr(mixture, name))
    epanechnikov = skde.density(xyz, **request)
    assert np.allclose(skde.fit(epanechnikov, k=2, steps=5).H, epanechnikov.H / 7)
    weighted = skde.fit(xyz, k=1, steps=60, weights=(xyz[:, 0] > 0).astype(float), **request)
    assert weighted.means[0, 0] > 1


def test_likelihood_and_an_error_to_reach(known, volume):
    xyz = known.sample(4000, seed=2)
    mixture = skde.fit(xyz, k=3, loss="likelihood", steps=40, bandwidth=0.1, dims=40)
    assert mixture.facts["loss"] == "likelihood"
    for mean in known.means:
        assert np.allclose(mixture.means[nearest(mixture, mean)], mean, atol=0.2)
    reached = skde.fit(volume, error=0.05, steps=150)
    assert len(reached) == 4 and reached.facts["relative_error"] <= 0.05


def test_wrong_fits_are_named(volume, xyz):
    density = skde.density(xyz, dims=4, kernel="gaussian")
    for use, parameter in ((lambda: skde.fit(density, k=0), "k"), (lambda: skde.fit(density, k=2.5), "k"),
                           (lambda: skde.fit(density, k=3, error=0.1), "k"), (lambda: skde.fit(density, k=70), "k"),
                           (lambda: skde.fit(density, error=1.5), "error"), (lambda: skde.fit(density, k=2, loss="l1"), "loss"),
                           (lambda: skde.fit(density, k=2, steps=0), "steps"), (lambda: skde.fit(density, k=2, seed=-1), "seed"),
                           (lambda: skde.fit(density, k=2, engine="fast"), "engine"),
                           (lambda: skde.fit(volume, k=2, loss="likelihood"), "loss"),
                           (lambda: skde.fit(xyz, k=2, dims=0), "dims"),
                           (lambda: skde.fit(xyz, k=2, dims=8, bounds=[[-2] * 3, [2] * 3], boundary="reflect",
                                             loss="likelihood"), "loss")):
        with pytest.raises(ValueError) as raised:
            use()
        assert raised.value.parameter == parameter
    for use in (lambda: skde.fit(density, k=2, dims=8), lambda: skde.fit(volume, k=2, bandwidth=0.1),
                lambda: skde.fit(density, k=2, weights=np.ones(60)), lambda: skde.fit(xyz, k=2, dimms=8)):
        with pytest.raises(TypeError):
            use()


@pytest.mark.parametrize("factor, problem", [(0, "0"), (-1, "negative"), (np.nan, "not finite")])
def test_values_that_no_mixture_has(xyz, factor, problem):
    rebuild, (found, grid, metadata, *_) = skde.density(xyz, dims=4).__reduce__()
    with pytest.raises(skde.InputError, match=problem):
        skde.fit(rebuild(factor * found, grid, metadata), k=2)


def test_warnings_of_the_density(xyz):
    with pytest.warns(skde.DensityWarning, match="of the mass"):
        skde.fit(xyz, k=2, steps=5, dims=3)


LONG = """
import numpy as np, skde
density = skde.density(np.random.default_rng(1).normal(size=(20000, 3)), kernel="gaussian", dims=64)
def show(stage, done, total, unit):
    if stage == "fit":
        print("fitting", flush=True) if not told else None
        told.append(done)
told = []
try:
    skde.fit(density, k=2000, steps=10**9, progress=show)
except KeyboardInterrupt:
    print("interrupted", skde.fit(density, k=2, steps=1), flush=True)
"""


def test_ctrl_c_stops_a_fit():
    run = subprocess.Popen([sys.executable, "-B", "-c", LONG], stdout=subprocess.PIPE, text=True)
    try:
        assert run.stdout.readline() == "fitting\n"
        run.send_signal(signal.SIGINT)
        out, _ = run.communicate(timeout=60)  # the whole would take years
        assert out.startswith("interrupted <skde.Mixture of 2") and run.returncode == 0
    finally:
        run.kill()
        run.wait()


def test_other_threads_run_beside_a_fit(volume):
    ended, counted = threading.Event(), []

    def count():
        while not ended.is_set():
            counted.append(1)
            time.sleep(1e-3)

    thread = threading.Thread(target=count)
    thread.start()
    seen = []
    skde.fit(volume, k=64, steps=60, progress=lambda *stage: seen.append(len(counted)))
    ended.set()
    thread.join()
    assert len(counted) > 5 and seen


def test_an_exception_of_progress_stops_a_fit(volume):
    def show(*stage):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        skde.fit(volume, k=8, steps=10**9, progress=show)
