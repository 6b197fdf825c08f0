"""Arrays in GPU memory, in and out, shared with PyTorch. Skipped without PyTorch, a GPU or a build with CUDA."""

import gc

import numpy as np
import pytest

import skde

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no GPU", allow_module_level=True)
try:
    skde.density(np.zeros((1, 3)), bandwidth=np.eye(3), dims=2, engine="cuda-span")
except skde.Error as error:
    pytest.skip(f"no CUDA engine: {error}", allow_module_level=True)

XYZ = np.random.default_rng(1).normal(size=(20000, 3))


def on_gpu(**request):
    return skde.density(XYZ, **{"engine": "cuda-span", "dims": (40, 33, 21), **request})


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_torch_shares_the_values(precision):
    density = on_gpu(precision=precision, engine="cuda-tile")
    tensor = torch.from_dlpack(density)
    assert tensor.is_cuda and tuple(tensor.shape) == (21, 33, 40)
    assert tensor.dtype == (torch.float32 if precision == "f32" else torch.float64)
    interface = density.__cuda_array_interface__
    assert interface["data"][0] == tensor.data_ptr() and interface["shape"] == (21, 33, 40)
    expected = density.values.copy()
    del density
    gc.collect()
    assert np.array_equal(tensor.cpu().numpy(), expected)


def test_both_capsules_of_dlpack():
    density = on_gpu()
    assert density.__dlpack_device__() == (2, 0)
    for version, name in ((None, "dltensor"), ((1, 0), "dltensor_versioned"), ((0, 8), "dltensor")):
        assert f'"{name}"' in repr(density.__dlpack__(max_version=version))
    total = torch.utils.dlpack.from_dlpack(density.__dlpack__()).sum(dtype=torch.float64).item()
    assert total == pytest.approx(density.values.sum(dtype=np.float64), rel=1e-12)


@pytest.mark.parametrize("stream", ["default", "own"])
@pytest.mark.parametrize("form", ["plain", "float", "rows", "transposed"])
def test_samples_in_gpu_memory(form, stream):
    expected = on_gpu().values
    with torch.cuda.stream(torch.cuda.Stream() if stream == "own" else torch.cuda.default_stream()):
        there = torch.from_numpy(XYZ).cuda()
        for _ in range(50):  # work that must be done before the samples are read
            there = there * 2 / 2
        if form == "float":
            expected = skde.density(XYZ.astype(np.float32), engine="cuda-span", dims=(40, 33, 21)).values
            there = there.float()
        if form == "rows":
            there = torch.cat([there, there], dim=1)[:, :3]
        if form == "transposed":
            there = there.T.contiguous().T
        found = skde.density(there, engine="cuda-span", dims=(40, 33, 21))
    assert np.array_equal(found.values, expected)


def test_weights_in_gpu_memory():
    weights = np.random.default_rng(2).uniform(0.5, 2, len(XYZ))
    expected = skde.density(XYZ, weights, engine="cuda-span", dims=16).values
    found = skde.density(torch.from_numpy(XYZ).cuda(), torch.from_numpy(weights).cuda(), engine="cuda-span", dims=16)
    assert np.array_equal(found.values, expected)


def test_sessions_give_their_memory_back():
    session = skde.Session(XYZ)
    request = {"engine": "cuda-span", "dims": (128, 128, 128)}
    for h in (0.2, 0.3):
        torch.from_dlpack(session.density(bandwidth=h, **request))
    free = torch.cuda.mem_get_info()[0]
    for h in np.linspace(0.2, 0.5, 200):
        tensor = torch.from_dlpack(session.density(bandwidth=float(h), **request))
        assert float(tensor.max()) > 0
    del tensor
    gc.collect()
    assert free - torch.cuda.mem_get_info()[0] < 64 * 2**20


def test_densities_are_those_of_the_cpu():
    there = torch.from_dlpack(on_gpu(bandwidth=0.4, bounds=((-3, -3, -3), (3, 3, 3)))).cpu().numpy()
    here = skde.density(XYZ, engine="span", dims=(40, 33, 21), bandwidth=0.4, bounds=((-3, -3, -3), (3, 3, 3))).values
    assert np.abs(there - here).max() < 2e-5 * here.max()
