"""skde: exact 3-D kernel density estimation, on a GPU or a CPU.

>>> import numpy as np, skde
>>> xyz = np.random.default_rng(1).normal(size=(1000, 3))
>>> d = skde.density(xyz, kernel="gaussian", dims=(32, 32, 32))
>>> d.values.shape
(32, 32, 32)
>>> round(d.mass, 2)
1.0
"""

from __future__ import annotations

from . import _dask, _errors, _skde
from ._density import Density, compare, read
from ._errors import DensityWarning, Error, InputError, OutputError, ResourceError, UsageError
from ._grid import Grid
from ._keywords import document
from ._mixture import Mixture, fit
from ._order import organise, sort, sort_file
from ._session import Bandwidth, Session, opened as _opened

_skde.set_error_types(_errors.make)
__version__ = _skde.version
__all__ = ["Bandwidth", "Density", "DensityWarning", "Error", "Grid", "InputError", "Mixture", "OutputError",
           "ResourceError", "Session", "UsageError", "bandwidth", "compare", "density", "evaluate", "fit", "organise",
           "read", "smooth", "sort", "sort_file"]


@document("cloud", "grid", "errors")
def density(samples: Samples, weights: ArrayLike | None = None, *, progress: Show = False, **request) -> Density:
    """Estimates the density of samples on a grid.

    Parameters
    ----------
    samples : array_like (N, 3), or path, or list of paths, or dask.array.Array
        Samples in world units, or files of them. An array is copied, so that it may change later.
        Chunks of a dask array are summed where they lie, in integers: the values have the same bits
        for any chunks.
    weights : array_like (N,), or str
        Weights of 0 or more; of files the name of their column. Default: 1 each.
    {fields}
    progress : bool or callable
        True shows a bar; a function is called as f(stage, done, total, unit), and may raise to stop.

    Returns
    -------
    Density

    Raises
    ------
    UsageError, InputError
        ValueErrors: a keyword, an array or a file cannot be used. `parameter` names the keyword.
    ResourceError
        A MemoryError: the volume does not fit, or there is no GPU.

    Warns
    -----
    DensityWarning
        If the density may mislead, as when the box cuts off mass.

    Examples
    --------
    >>> import numpy as np, skde
    >>> xyz = np.random.default_rng(1).normal(size=(500, 3))
    >>> skde.density(xyz, dims=(8, 9, 10)).values.shape
    (10, 9, 8)
    """
    if _dask.is_dask(samples):
        return _dask.density(samples, weights, progress=progress, **request)
    return _opened(samples, weights, request, progress, copied=True).density(progress=progress, **request)


@document("cloud", "points")
def evaluate(samples: Samples, points: Places | None = None, weights: ArrayLike | None = None, *, loo: bool = False,
             gradient: bool = False, log: bool = False, progress: Show = False, **request) -> Any:
    """Evaluates the density of samples at points.

    Parameters
    ----------
    samples : array_like (N, 3), or path, or list of paths
        Samples in world units, or files of them.
    points : array_like (M, 3), or path
        Where the density is wanted, in world units. A file is read by the columns of the samples, and
        converted by `geographic` as they are.
    weights : array_like (N,), or str
        Weights of 0 or more. Default: 1 each.
    loo : bool
        Leave-one-out: at each sample the density of all others. Leave out `points` then.
    gradient : bool
        Return the derivatives by x, y and z as well.
    log : bool
        Natural logarithms; -inf where the density is 0.
    {fields}
    progress : bool or callable
        True shows a bar.

    Returns
    -------
    values : numpy.ndarray, (M,)
        In 1 / (world unit)^3; sums are in double, unless `precision="f32"` asks for float.
    gradients : numpy.ndarray, (M, 3)
        With `gradient=True` alone.

    Raises
    ------
    UsageError, InputError, ResourceError

    Examples
    --------
    >>> import numpy as np, skde
    >>> xyz = np.zeros((1, 3))
    >>> float(skde.evaluate(xyz, [[0, 0, 0]], kernel="gaussian", bandwidth=np.eye(3))[0].round(6))
    0.063494
    """
    return _opened(samples, weights, request, progress).evaluate(
        points, loo=loo, gradient=gradient, log=log, progress=progress, **request)


@document("cloud", "means")
def smooth(samples: Samples, values: ArrayLike, points: Places, weights: ArrayLike | None = None, *,
           deviation: bool = False, progress: Show = False, **request) -> Any:
    """Kernel regression (Nadaraya-Watson): means of values around points, weighted by kernels.

    Parameters
    ----------
    samples : array_like (N, 3), or path, or list of paths
        Samples in world units.
    values : array_like (N,) or (N, C)
        Values of the samples.
    points : array_like (M, 3), or path
        Where means are wanted.
    weights : array_like (N,), or str
        Weights of 0 or more. Default: 1 each.
    deviation : bool
        Return the weighted standard deviations as well.
    {fields}
    progress : bool or callable
        True shows a bar.

    Returns
    -------
    means : numpy.ndarray, (M,) or (M, C)
        NaN where no sample reaches.
    deviations : numpy.ndarray, (M,) or (M, C)
        With `deviation=True` alone.

    Raises
    ------
    UsageError, InputError, ResourceError

    Examples
    --------
    >>> import skde
    >>> skde.smooth([[0, 0, 0], [1, 0, 0]], [1, 3], [[0.5, 0, 0]], bandwidth=(1, 1, 1))
    array([2.])
    """
    return _opened(samples, weights, request, progress).smooth(
        values, points, deviation=deviation, progress=progress, **request)


@document("cloud", "search")
def bandwidth(samples: Samples, weights: ArrayLike | None = None, rule: str = "auto", *, progress: Show = False,
              **request) -> Bandwidth:
    """Chooses a bandwidth.

    Parameters
    ----------
    samples : array_like (N, 3), or path, or list of paths
        Samples in world units.
    weights : array_like (N,), or str
        Weights of 0 or more. Default: 1 each.
    rule : str
        auto: lscv by a random choice of the samples, or plug-in if they are tied; silverman, scott,
        normal-scale or normal-scott from the moments; lcv, lscv or plug-in from all samples.
    {fields}
    progress : bool or callable
        True shows a bar.

    Returns
    -------
    Bandwidth

    Examples
    --------
    >>> import numpy as np, skde
    >>> xyz = np.random.default_rng(1).normal(size=(500, 3))
    >>> skde.bandwidth(xyz, rule="scott").source
    'scott'
    """
    return _opened(samples, weights, request, progress, splats=False).bandwidth(rule, progress=progress, **request)
