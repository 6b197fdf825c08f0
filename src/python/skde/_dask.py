"""Densities of dask arrays: each chunk is summed where it lies, in integers, and sums are merged in a tree."""

import numpy as np

from . import _arrays, _skde
from ._density import Density
from ._errors import Error, fail, make
from ._keywords import check
from ._session import plain

_FAN_IN = 8  # sums that are added by one task
# Fields of the request that sums of chunks know.
_KNOWN = {"kernel", "bandwidth", "covariance", "regularize", "tolerance", "bounds", "dims", "spacing", "like",
          "boundary", "engine", "threads", "device", "precision", "memory_limit", "device_memory", "normalize", "units"}
# Those of them that follow from the plan.
_PLANNED = {"bandwidth", "covariance", "regularize", "bounds", "dims", "spacing", "like"}


def is_dask(array):
    """Whether an array is one of dask, which is not imported to find out."""
    return type(array).__module__.split(".")[0] == "dask" and hasattr(array, "to_delayed")


def density(samples, weights=None, *, progress=False, **request):
    """The density of a dask array (N, 3), with or without weights (N,): see :func:`skde.density`."""
    import dask

    _require_known(request)
    request = plain(request)
    check(request, None)
    blocks = _blocks(samples, weights)
    request = {"threads": 1, **request}  # of a task: dask runs one a core
    _skde.require_summable(request)
    name, count = samples.name, len(blocks)

    def compute(tasks, merge):
        return _compute(_tree(tasks, dask.delayed(merge, pure=True)), progress)

    moments = dask.delayed(_moments, pure=True)
    text = compute([moments(xyz, w, name, k + 1, count) for k, (xyz, w) in enumerate(blocks)], _merge_texts)
    plan = _skde.plan_parts(request, text)
    # Given to the last bit, so that no worker's mathematical library has a say.
    exact = {key: value for key, value in request.items() if key not in _PLANNED and key not in ("normalize", "units")}
    exact.update(bandwidth=plan["bandwidth"], like=plan["like"])
    sums = dask.delayed(_sums, pure=True)
    shared = dask.delayed((exact, text), pure=True)  # a worker gets it once
    told, values = compute([sums(xyz, w, name, k + 1, count, shared) for k, (xyz, w) in enumerate(blocks)],
                           _merge_sums)
    return Density(_skde.density_of_parts(request, text, told, values))


def _require_known(request):
    for key in request:
        if key not in _KNOWN:
            fail(f"'{key}' is not served for dask arrays", key, "leave it out")


def _blocks(samples, weights):
    """Pairs of delayed arrays, (n, 3) and (n,) or None."""
    if samples.ndim != 2 or samples.shape[1] != 3:
        fail(f"samples must have the shape (N, 3), not {samples.shape}", "samples")
    samples = samples.rechunk({1: 3}) if len(samples.chunks[1]) > 1 else samples
    blocks = list(samples.to_delayed()[:, 0])
    if weights is None:
        return [(block, None) for block in blocks]
    rows = samples.chunks[0]
    if not is_dask(weights):
        import dask.array

        weights = dask.array.from_array(np.asarray(weights), chunks=-1)
    if np.isnan(rows).any() or np.isnan(weights.chunks[0]).any():
        if len(weights.chunks[0]) != len(rows):
            fail("weights have other chunks than samples", "weights", "call compute_chunk_sizes() of both")
    elif weights.shape != samples.shape[:1]:
        fail(f"weights must have the shape ({samples.shape[0]},), not {weights.shape}", "weights")
    elif weights.chunks[0] != rows:
        weights = weights.rechunk((rows,))
    return list(zip(blocks, weights.to_delayed()))


def _tree(tasks, merge):
    while len(tasks) > 1:
        tasks = [merge(tasks[begin:begin + _FAN_IN]) for begin in range(0, len(tasks), _FAN_IN)]
    return tasks[0]


def _compute(task, progress):
    if progress is not True:
        return task.compute()
    try:
        from distributed import get_client, progress as bar

        client = get_client()
    except (ImportError, ValueError):
        from dask.diagnostics import ProgressBar

        with ProgressBar():
            return task.compute()
    future = client.compute(task)
    bar(future)
    return future.result()


# Tasks. They return what their arguments alone decide, so that one that is lost with its worker is run again.


def _samples(xyz, weights):
    if weights is not None:
        weights = np.ascontiguousarray(_arrays.numbers(weights, "weights"), dtype=np.float64)
    return _arrays.points(xyz, "samples"), weights


def _moments(xyz, weights, name, part, parts):
    try:
        return _skde.part_moments(*_samples(xyz, weights), name, part, parts, 1)
    except Error as error:
        raise make(error.kind, f"chunk {part} of {parts}: {error}", error.parameter, "") from error


def _merge_texts(texts):
    return _skde.merge_parts(texts)


def _sums(xyz, weights, name, part, parts, shared):
    xyz, weights = _samples(xyz, weights)
    return _skde.sum_part(*shared, xyz, weights, name, part, parts)


def _merge_sums(parts):
    values = parts[0][1].copy()
    for _, more in parts[1:]:
        values += more
    return _skde.merge_parts([text for text, _ in parts]), values
