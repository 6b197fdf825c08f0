"""Densities of dask arrays: the bits of one run for any chunks, also where a worker is killed."""

import os
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest
import skde

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

COUNT = 3000
REQUEST = {"kernel": "gaussian", "bandwidth": "silverman", "dims": 20}
SKDE = Path(os.environ.get("SKDE_PROGRAM", "no program"))


@pytest.fixture(scope="module")
def cloud():
    return np.random.default_rng(3).normal(size=(COUNT, 3)) * [1, 2, 3]


@pytest.fixture(scope="module")
def weights():
    return np.random.default_rng(4).exponential(size=COUNT)


@pytest.fixture(scope="module")
def client():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster, timeout="60s") as client:
            yield client


def one_chunk(cloud, **request):
    return skde.density(da.from_array(cloud, chunks=(-1, 3)), **{**REQUEST, **request})


def require_same(a, b):
    assert a.grid == b.grid
    np.testing.assert_array_equal(a.H, b.H)
    assert a.values.tobytes() == b.values.tobytes()
    assert a.metadata == b.metadata


@pytest.mark.parametrize("chunks", [(7,), ((1, 2000, 0, 999),), (100,)])
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_chunks_do_not_change_bits(cloud, weights, chunks, precision):
    rows = chunks[0] if isinstance(chunks[0], tuple) else COUNT // chunks[0]
    for w in (None, weights):
        given = None if w is None else da.from_array(w, chunks=500)
        found = skde.density(da.from_array(cloud, chunks=(rows, 2)), given, precision=precision, **REQUEST)
        require_same(found, one_chunk(cloud, weights=w, precision=precision))


def test_order_does_not_change_bits(cloud):
    require_same(skde.density(da.from_array(cloud[::-1], chunks=(700, 3)), **REQUEST), one_chunk(cloud))


@pytest.mark.parametrize("request_", [{}, {"kernel": "epanechnikov", "bandwidth": 1.0, "normalize": "count"},
                                      {"boundary": "periodic", "bounds": [[-4, -8, -12], [4, 8, 12]]},
                                      {"bandwidth": np.diag([0.2, 0.4, 0.6]), "tolerance": 1e-4}])
def test_values_are_those_of_an_array(cloud, request_):
    found = one_chunk(cloud, **request_)
    at_once = skde.density(cloud, **{**REQUEST, **request_, "like": found, "bandwidth": found.H, "dims": None,
                                     "bounds": None} if "boundary" not in request_ else {**REQUEST, **request_})
    bound = found.metadata["error_bound"] + at_once.metadata["error_bound"]
    np.testing.assert_allclose(found.values, at_once.values, rtol=0, atol=bound * float(at_once.values.max()))
    assert found.metadata["samples"] == COUNT
    assert found.summary["kind"] == at_once.summary["kind"]


@pytest.mark.skipif(not SKDE.exists(), reason="the program skde is not built")
def test_bits_are_those_of_merged_parts(cloud, tmp_path):
    np.save(tmp_path / "cloud.npy", cloud)
    for line in ("moments cloud.npy -o m.json",
                 "density cloud.npy --moments m.json --kernel gaussian --dims 20 -o a.skp",
                 "merge a.skp -o density.vti"):
        subprocess.run([SKDE, *line.split()], cwd=tmp_path, check=True, capture_output=True)
    merged = skde.read(tmp_path / "density.vti")
    found = skde.density(da.from_array(cloud, chunks=(650, 3)), **REQUEST)
    assert found.values.tobytes() == merged.values.tobytes()
    np.testing.assert_array_equal(found.H, merged.H)


def test_unknown_chunks_are_served(cloud):
    lazy = da.from_array(cloud, chunks=(500, 3))
    require_same(skde.density(lazy[lazy[:, 0] > 0.5], **REQUEST), one_chunk(cloud[cloud[:, 0] > 0.5]))


def test_a_killed_worker_does_not_change_bits(cloud, client, tmp_path):
    folder = str(tmp_path)

    def block(rows, block_info=None):
        """Kills its process where it is asked for the fourth chunk to be summed: the second time."""
        chunk = block_info[0]["chunk-location"][0]
        asked, killed = (os.path.join(folder, name) for name in (f"asked_{chunk}", "killed"))
        if chunk == 3 and os.path.exists(asked) and not os.path.exists(killed):
            open(killed, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        open(asked, "w").close()
        return rows

    chunks = da.from_array(cloud, chunks=(250, 3)).map_blocks(block, dtype=float, meta=np.empty((0, 3)))
    before = set(client.scheduler_info()["workers"])
    found = skde.density(chunks, **REQUEST)
    assert os.path.exists(os.path.join(folder, "killed"))
    assert before - set(client.scheduler_info()["workers"]), "no worker was killed"
    require_same(found, one_chunk(cloud))


def test_samples_that_change_are_refused():
    drawn = da.zeros((100, 3), chunks=(50, 3)).map_blocks(lambda block: np.random.normal(size=block.shape), dtype=float,
                                                          meta=np.empty((0, 3)))
    with pytest.raises(skde.InputError, match="must not change"):
        skde.density(drawn, dims=8)


@pytest.mark.parametrize("request_, parameter", [({"bandwidth": "lscv"}, "bandwidth"), ({"adaptive": True}, "adaptive"),
                                                 ({"sharpen": True}, "sharpen"),
                                                 ({"engine": "naive"}, "engine"), ({"dims": -1}, "dims")])
def test_what_chunks_cannot_do(cloud, request_, parameter):
    with pytest.raises(skde.UsageError if parameter not in ("engine", "sharpen") else skde.Error) as caught:
        one_chunk(cloud, **request_)
    assert caught.value.parameter == parameter


def test_wrong_arrays(cloud):
    lazy = da.from_array(cloud, chunks=(500, 3))
    with pytest.raises(skde.UsageError, match=r"\(N, 3\)"):
        skde.density(lazy.T)
    with pytest.raises(skde.UsageError, match="weights"):
        skde.density(lazy, np.ones(7))
    bad = cloud.copy()
    bad[1234, 1] = np.nan
    with pytest.raises(skde.InputError, match="chunk 3 of 6.*nan"):
        skde.density(da.from_array(bad, chunks=(500, 3)))
    with pytest.raises(skde.InputError, match="no samples"):
        skde.density(lazy[:0])
