"""Densities as mixtures of Gaussians."""

from __future__ import annotations

import operator
import os

import numpy as np

from . import _arrays, _dask, _skde
from ._density import Density
from ._errors import fail
from ._grid import Grid
from ._keywords import document
from ._progress import shown
from ._session import Session, opened

_SQUARE = [[0, 1, 2], [1, 3, 4], [2, 4, 5]]  # the entry xx, xy, xz, yy, yz or zz in each row and column
_OF_DEVICES = frozenset(("engine", "threads", "device", "device_memory"))
_MEMBERS = 4096  # K unless it is given


def _whole(number, parameter, least):
    try:
        number = operator.index(number)
    except TypeError:
        fail(f"{parameter} must be a whole number; got {number!r}", parameter)
    if not least <= number < 2**63:
        fail(f"{parameter} must be {least} or more; got {number}", parameter)
    return number


def _fact(text):
    """What a file states: a number, a list of numbers or a text."""
    try:
        numbers = [int(word) if word.lstrip("-").isdecimal() else float(word) for word in text.split()]
    except ValueError:
        return text
    return numbers[0] if len(numbers) == 1 else numbers or text


def _stated(value):
    return " ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _wrap(held, facts):
    mixture = Mixture.__new__(Mixture)
    mixture._held, mixture._facts = held, facts
    return mixture


def _rebuild(masses, means, covariances, H, facts):
    return _wrap(Mixture(masses, means, covariances, H)._held, facts)


class Mixture:
    """A density as a sum of K Gaussians: m(x) = sum_k mass_k N(x; mean_k, C_k), as :func:`skde.fit` and
    :meth:`Mixture.read` return it. It never changes.

    Parameters
    ----------
    masses : array_like (K,)
        The integral of each Gaussian, 0 or more. They need not add up to 1.
    means : array_like (K, 3)
        Their centres, in world units.
    covariances : array_like (K, 3, 3)
        Their covariances C_k, symmetric and positive definite, in squared world units.
    H : array_like (3, 3), optional
        The kernel's part of every covariance. Default: 0, for unknown.

    Raises
    ------
    UsageError
        A ValueError: an array cannot be used. `parameter` names it.

    Examples
    --------
    >>> import numpy as np, skde
    >>> m = skde.Mixture([0.5, 0.5], [[0, 0, 0], [2, 0, 0]], [np.eye(3), 0.5 * np.eye(3)])
    >>> m.at([[0, 0, 0]]).round(4)
    array([0.0334])
    >>> by_masses, by_means, by_covariances = m.gradient([[0, 0, 0]], [1.0])
    >>> by_means.round(4)
    array([[ 0.    ,  0.    ,  0.    ],
           [-0.0066,  0.    ,  0.    ]])
    """

    def __init__(self, masses: ArrayLike, means: ArrayLike, covariances: ArrayLike, H: Matrix | None = None) -> None:
        masses = _arrays.doubles(masses, "masses")
        means = _arrays.points(means, "means")
        covariances = _arrays.doubles(covariances, "covariances")
        H = np.zeros((3, 3)) if H is None else _arrays.doubles(H, "H")
        if len(means) == 0:
            fail("a mixture needs at least one member", "means")
        for name, array, shape in (("masses", masses, (len(means),)), ("H", H, (3, 3)),
                                   ("covariances", covariances, (len(means), 3, 3))):
            if array.shape != shape:
                fail(f"{name} must have the shape {shape}, not {array.shape}", name)
        if not np.isfinite(H).all():
            fail("H must be finite", "H")
        matrices = (_arrays.entries(*each) for each in ((covariances, "covariances"), (H, "H")))
        self._held = _skde.Mixture(masses, means, *matrices)
        self._facts = {}

    # What it is.

    @property
    def masses(self) -> Array:
        """The integral of each Gaussian, (K,)."""
        return self._held.masses()

    @property
    def means(self) -> Array:
        """The centres, (K, 3), in world units."""
        return self._held.means()

    @property
    def covariances(self) -> Array:
        """The covariances C_k, (K, 3, 3), in squared world units."""
        return self._held.covariances()[:, _SQUARE]

    @property
    def scales(self) -> Array:
        """The standard deviations along each Gaussian's own axes, (K, 3), ascending, in world units."""
        return np.sqrt(np.linalg.eigvalsh(self.covariances))

    @property
    def rotations(self) -> Array:
        """The quaternions w, x, y, z, (K, 4), that turn x, y and z to each Gaussian's own axes:
        C_k = R diag(scales_k)^2 R^T."""
        return _quaternions(np.linalg.eigh(self.covariances)[1])

    @property
    def H(self) -> Array:
        """The kernel's part of every covariance, (3, 3), in squared world units; 0 if it is unknown."""
        return self._held.kernel()

    @property
    def facts(self) -> dict[str, Any]:
        """How a fit ended, with the names that files of mixtures use, such as relative_error (root of
        sum (m - f)^2 / sum f^2 over the cells), psnr (decibels), largest_error (share of the peak),
        mass.fitted, mass.given, divergence (nats), steps and fit_seconds. Empty if nothing is known."""
        return dict(self._facts)

    def __len__(self) -> int:
        return self._held.size()

    # Values.

    def at(self, points: ArrayLike, *, progress: Show = False) -> Array:
        """The density at points, in double.

        Parameters
        ----------
        points : array_like, (M, 3) or (3,)
            Places in world units.
        progress : bool or callable
            True shows a bar.

        Returns
        -------
        numpy.ndarray, (M,), or a number for one place
            In 1 / (world unit)^3. Each Gaussian is cut where it falls below 1e-6 of its peak.
        """
        points, is_place = _arrays.place_or_points(points, "points")
        with shown(progress) as show:
            found = self._held.at(points, show)
        return found[0] if is_place else found

    def on(self, like: Density | Grid | str | PathLike[str] | None = None, *, dims: Cells | None = None,
           spacing: Lengths | None = None, bounds: Bounds | None = None,
           precision: Literal['f32', 'f64'] | None = None, engine: str | None = None, threads: Int | None = None,
           device: Int | None = None, progress: Show = False) -> Density:
        """The density at the cells of a grid. Its integral is the sum of the masses.

        Parameters
        ----------
        like : Density or Grid or path, optional
            The grid. Default: one from `dims`, `spacing` and `bounds`, which are as in
            :func:`skde.density`.
        precision : {'f32', 'f64'}, optional
            Of the values. Default: f32.
        engine, threads, device
            What computes: see :func:`skde.density`.
        progress : bool or callable
            True shows a bar.

        Returns
        -------
        Density
        """
        given = {"like": like, "dims": dims, "spacing": spacing, "bounds": bounds, "precision": precision,
                 "engine": engine, "threads": threads, "device": device}
        session = Session(self.means, self.masses, self.covariances)
        return session.density(kernel="gaussian", normalize="count", min_width=0, progress=progress,
                               **{name: value for name, value in given.items() if value is not None})

    def gradient(self, where: ArrayLike | Density | Grid, cotangents: ArrayLike, *,
                 progress: Show = False) -> tuple[Array, Array, Array]:
        """The derivatives of a loss L by the members, from its derivatives by the density.

        Parameters
        ----------
        where : array_like (M, 3), or Grid, or Density
            Points in world units, or a grid, at whose values the loss looks.
        cotangents : array_like (M,), or (nz, ny, nx) for a grid
            The derivatives dL/dm at these places.
        progress : bool or callable
            True shows a bar.

        Returns
        -------
        by_masses : numpy.ndarray, (K,)
        by_means : numpy.ndarray, (K, 3)
        by_covariances : numpy.ndarray, (K, 3, 3)
            Symmetric: L changes by the sum over all entries of the derivative times the change of C_k
            (Petersen and Pedersen, The Matrix Cookbook, 8.1.1). Sums are in double, with the same
            bits on every run.
        """
        cotangents = _arrays.doubles(cotangents, "cotangents")
        grid = where.grid if isinstance(where, Density) else where if isinstance(where, Grid) else None
        if grid is None:
            where = _arrays.points(where, "where")
        else:
            where = {"lower": grid.lower, "spacing": grid.spacing, "dims": grid.dims}
        shape = (len(where),) if grid is None else grid.shape
        if cotangents.shape != shape:
            fail(f"cotangents must have the shape {shape}, not {cotangents.shape}", "cotangents")
        with shown(progress) as show:
            by_masses, by_means, entries = self._held.gradient(where, cotangents.reshape(-1), show)
        return by_masses, by_means, entries[:, _SQUARE]

    def sample(self, count: Int, seed: Int = 1, progress: Show = False) -> Array:
        """Draws from the mixture: (count, 3) in world units, the same for the same seed."""
        count, seed = _whole(count, "count", 0), _whole(seed, "seed", 0)
        with shown(progress) as show:
            return self._held.sample(count, seed, show)

    # Files.

    def save(self, path: str | PathLike[str], progress: Show = False) -> None:
        """Writes .ply, which viewers of Gaussian splats open, or .npy or .csv with mass, mean and
        covariance. PLY holds means with 48 bits and all other numbers as float32."""
        facts = [(key, _stated(value)) for key, value in self._facts.items()]
        with shown(progress) as show:
            self._held.save(os.fsencode(path), facts, show)

    @staticmethod
    def read(path: str | PathLike[str], progress: Show = False) -> Mixture:
        """Reads a file of :meth:`save` or `skde fit`, or any other with such columns. Members of mass 0
        are left out. InputError, a ValueError: the file is broken or no mixture."""
        with shown(progress) as show:
            held, facts = _skde.read_mixture(os.fsencode(path), show)
        return _wrap(held, {key: _fact(text) for key, text in facts.items()})

    def __reduce__(self) -> Any:
        return _rebuild, (self.masses, self.means, self.covariances, self.H, self._facts)

    def __copy__(self) -> Mixture:
        return _wrap(self._held, self._facts)

    def __deepcopy__(self, memo: Any) -> Mixture:
        return self.__copy__()  # a mixture never changes

    def __repr__(self) -> str:
        text = f"<skde.Mixture of {len(self):,} Gaussians, mass {self.masses.sum():.4g}"
        error = self._facts.get("relative_error")
        return text + ("" if error is None else f", relative error {error:.2g}") + ">"


def _quaternions(axes):
    """The quaternions w, x, y, z of rotations whose matrices (K, 3, 3) have these columns, mirrored where needed
    (Shepperd, J. Guidance and Control 1(3), 1978: from the largest part)."""
    axes = axes * np.where(np.linalg.det(axes) < 0, -1, 1)[:, None, None]
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = np.moveaxis(axes, 0, -1)
    products = np.array([[1 + xx + yy + zz, zy - yz, xz - zx, yx - xy],
                         [zy - yz, 1 + xx - yy - zz, xy + yx, xz + zx],
                         [xz - zx, xy + yx, 1 - xx + yy - zz, yz + zy],
                         [yx - xy, xz + zx, yz + zy, 1 - xx - yy + zz]])  # 4 q q^T
    largest = np.argmax(np.einsum("iik->ik", products), axis=0)
    found = products[largest, :, np.arange(len(axes))]
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def _of_devices(request, what):
    """Keywords that choose a device; others have no effect on what is given."""
    for name, value in request.items():
        if name not in _OF_DEVICES and value is not None:
            raise TypeError(f"'{name}' has no effect on {what}")
    return request


def _given_density(samples, weights, request, progress):
    """The density to fit."""
    samples_of_its_own = isinstance(samples, (Density, Session))
    if samples_of_its_own and weights is not None:
        raise TypeError("'weights' has no effect on samples that are open")
    if isinstance(samples, Density):
        _of_devices(request, "a density that is given")
        return samples
    kernel = {"kernel": "gaussian"} if request.get("kernel") is None else {}
    if _dask.is_dask(samples):
        return _dask.density(samples, weights, progress=progress, **{**request, **kernel})
    if not samples_of_its_own:
        samples = opened(samples, weights, request, progress, copied=True)
    if samples._held.is_volume():  # a volume is open
        _of_devices(request, "a volume")
        return samples.density(progress=progress)
    return samples.density(progress=progress, **{**request, **kernel})


@document("cloud", "grid")
def fit(samples: Samples | Density | Session, k: Int | None = None, *, error: Real | None = None,
        loss: Literal['l2', 'likelihood'] = "l2", steps: Int | None = None, seed: Int = 1,
        weights: ArrayLike | None = None, kernel: str | None = None, progress: Show = False, **request) -> Mixture:
    """Fits a mixture of K Gaussians to a density.

    Parameters
    ----------
    samples : Density, or array_like (N, 3), or path, or list of paths, or Session
        A density; or samples, whose density is estimated by the keywords as in :func:`skde.density`;
        or the path of a volume.
    k : int, optional
        The number of Gaussians. Default: 4096, unless `error` is given.
    error : float, optional
        The relative L2 error to reach, such as 0.02, with the smallest power of two that does.
    loss : {'l2', 'likelihood'}
        What is minimised: the squared error over the cells, by Adam; or the cross-entropy of the
        samples, by expectation-maximisation.
    steps : int, optional
        Steps of the fit. Default: 2000 for l2, 100 for likelihood.
    seed : int
        Of the start: 1 is the plain one, and each other seed another. The same seed gives the same
        bits on the same machine.
    weights : array_like (N,), or str
        Weights of 0 or more; of files the name of their column. Default: 1 each.
    kernel : str, optional
        Of the density of samples, as in :func:`skde.density`. Default: gaussian.
    {fields}
    progress : bool or callable
        True shows a bar; a function is called as f(stage, done, total, unit), and may raise to stop.

    Returns
    -------
    Mixture
        Its covariances contain the density's kernel, `H`; `facts` has what it reaches.

    Raises
    ------
    UsageError, InputError
        ValueErrors: a keyword or the density cannot be used, as when k is above the number of cells
        that are not 0. `parameter` names the keyword.
    ResourceError
        A MemoryError: memory is short, there is no GPU, or no K reaches the error.

    Examples
    --------
    >>> import numpy as np, skde
    >>> xyz = np.random.default_rng(1).normal(size=(1000, 3))
    >>> m = skde.fit(xyz, k=4, steps=200, dims=24)
    >>> len(m), m.facts["relative_error"] < 0.2
    (4, True)
    """
    if k is not None and error is not None:
        fail("k contradicts error, which finds the number of Gaussians", "k", "drop one of them")
    if error is not None and not 0 < error < 1:
        fail(f"error must be above 0 and below 1; got {error}", "error")
    if loss not in ("l2", "likelihood"):
        fail(f"loss must be 'l2' or 'likelihood'; got {loss!r}", "loss")
    given = {"k": _MEMBERS if k is None else _whole(k, "k", 1), "error": error or 0.0, "loss": loss,
             "steps": None if steps is None else _whole(steps, "steps", 1), "seed": _whole(seed, "seed", 0)}
    if error is not None:
        given["k"] = 0
    if kernel is not None:
        request["kernel"] = kernel
    density = _given_density(samples, weights, request, progress)
    engine = {name: request[name] for name in _OF_DEVICES.intersection(request)}
    with shown(progress) as show:
        return _wrap(*_skde.fit(density._held, given, engine, show))
