"""Samples that stay open between computations."""

from __future__ import annotations

import os

import numpy as np

from . import _arrays, _keywords, _skde
from ._density import Density, read
from ._errors import fail
from ._grid import frame_of, grid_like
from ._keywords import document
from ._progress import shown


def _is_path(samples):
    return isinstance(samples, (str, os.PathLike)) or (
        isinstance(samples, (list, tuple)) and samples and all(isinstance(s, (str, os.PathLike)) for s in samples))


def _is_matrix(value):
    try:
        return np.shape(value) in ((3, 3), (9,))
    except ValueError:  # rows of unlike lengths, which the table of fields refuses
        return False


def plain(keywords):
    """Keywords as the table of fields reads them."""
    result = {}
    for name, value in keywords.items():
        if name == "like" and value is not None and not isinstance(value, dict):
            value = read(value) if isinstance(value, (str, os.PathLike)) else value
            grid, frame = grid_like(value), frame_of(value)
            value = {"lower": grid.lower, "spacing": grid.spacing, "dims": grid.dims,
                     **({"frame": frame} if frame else {})}
        if name == "bandwidth" and isinstance(value, Bandwidth):
            value = value.H
        if name in ("bandwidth", "covariance") and _is_matrix(value):
            value = _arrays.entries(np.reshape(_arrays.doubles(value, name), (3, 3)), name)
        result[name] = value
    return result


def opened(samples, weights, request, progress, copied=False, splats=True):
    """A session of the samples, by the keywords of a request that open them, which are taken out of it."""
    like = request.get("like")
    if isinstance(request.get("geographic"), str) and like is not None:
        request["like"] = like = read(like) if isinstance(like, (str, os.PathLike)) else like
        request["geographic"] = _skde.geographic_like(request["geographic"], frame_of(like))
    names = {row["name"] for row in _keywords.fields("cloud")}.intersection(request)
    of_all = ("bandwidth", "covariance", "regularize", "adaptive")  # with these, splats are points
    splats = splats and all(request.get(name) is None for name in of_all)
    session = Session.__new__(Session)
    session._open(samples, weights, progress, copied, splats=splats, **{name: request.pop(name) for name in names})
    return session


class Session:
    """Samples that are opened once, for any number of densities.

    Sorted copies of the samples stay on the device of the engine between calls. Any thread may call;
    one computes at a time.

    Parameters
    ----------
    samples : array_like (N, 3), or path, or list of paths
        Samples in world units, or files of them. An array of doubles in C order is not copied: do not
        change it while the session or one of its densities lives. :func:`skde.density` copies it.
    weights : array_like (N,), or str
        Weights of 0 or more, unless `signed_weights`; of files the name of their column. Default: 1 each.
    widths : array_like (N,), (N, 3), (N, 6) or (N, 3, 3), or str
        Per-sample bandwidths in world units: a length h with H = h^2 I, three lengths, or a matrix H
        (xx, xy, xz, yy, yz, zz). With `width_form="factor"` a factor on the common bandwidth.
    width_form : {'length', 'factor', 'deviation', 'support', 'fwhm'}
        What widths of the shape (N,) or (N, 3) are. Default: length; of columns with the names of
        smoothing lengths in SWIFT and Gadget what these programs mean by them.
    progress : bool or callable
        True shows a bar while files are read.
    columns, where, geographic, skip, nan
        Of files: see :func:`skde.density`.
    memory_limit : int or str
        Host memory to stay within, as "2G". Default: what is available.
    """

    @document("cloud")
    def __init__(self, samples: Samples, weights: ArrayLike | None = None, widths: ArrayLike | None = None,
                 width_form: Literal['length', 'factor', 'deviation', 'support', 'fwhm'] | None = None, *,
                 progress: Show = False, **reading) -> None:
        """Opens samples."""
        self._open(samples, weights, progress, False, widths, width_form, **reading)

    def _open(self, samples, weights, progress, copied, widths=None, width_form=None, *, splats=True, **reading):
        has_none = widths is None or (isinstance(widths, str) and widths == "none")
        self._widths = None if has_none else width_form or "length"
        self._of_kernel = None
        if _is_path(samples):
            paths = [samples] if isinstance(samples, (str, os.PathLike)) else samples
            given = {"weights": weights, "widths": widths, "width_form": width_form, **reading}
            for name in ("weights", "widths"):
                if given[name] is not None and not isinstance(given[name], (str, list, tuple)):
                    fail(f"{name} of files are columns of theirs", name, "name the column")
            self._held = _skde.Session({name: value for name, value in given.items() if value is not None})
            with shown(progress) as show:
                self._held.open_files([os.fsencode(path) for path in paths], splats, show)
            if self._held.are_gaussians():
                self._widths = "length"
            if self._held.is_volume():
                _refuse(given, {"memory_limit"})
            return
        columns = reading.pop("columns", None)
        self._held = _skde.Session(reading)
        on_files = sorted(set(reading) - {"memory_limit", "signed_weights"})
        if on_files:
            raise TypeError(f"'{on_files[0]}' is about files; select rows and columns of the array instead")
        if _arrays.is_frame(samples):
            if width_form is None and isinstance(widths, str):
                widths, width_form = _arrays.smoothing_lengths(samples, widths)
            weights, widths = (_arrays.named(samples, *each) for each in ((weights, "weights"), (widths, "widths")))
            if columns is not None and (samples := _arrays.named(samples, columns, "columns")) is columns:
                fail("columns of a data frame are three names", "columns")
        elif columns is not None:
            raise TypeError("'columns' is about files and data frames; select columns of the array instead")
        xyz = _arrays.points(samples, "samples", copied)
        if weights is not None:
            weights = _arrays.doubles(weights, "weights", copied)

        def opened_for(kernel, held):
            held.open_arrays(xyz, weights, *_arrays.shapes_of(widths, len(xyz), width_form, copied, kernel))
            return held

        opened_for("epanechnikov", self._held)
        if width_form in _arrays.SCALED:
            self._of_kernel = lambda kernel: opened_for(kernel, _skde.Session(reading))
            self._of_kernels = {"epanechnikov": self._held}

    def _for(self, request):
        """The held session whose widths are those of the request's kernel."""
        if self._of_kernel is None:
            return self._held
        kernel = request.get("kernel") or "epanechnikov"
        if kernel not in self._of_kernels:
            self._of_kernels[kernel] = self._of_kernel(kernel)
        return self._of_kernels[kernel]

    def __len__(self) -> int:
        return self._held.size()

    def __repr__(self) -> str:
        return f"<skde.Session of {len(self):,} samples>"

    @document("grid", "errors")
    def density(self, *, progress: Show = False, **request) -> Density:
        """Returns the :class:`skde.Density` of the samples; keywords as of :func:`skde.density`."""
        request = self._checked(request)
        if self._held.is_volume():
            _refuse(request, {"units"})
        with shown(progress) as show:
            return Density(self._for(request).density(request, show), request)

    @document("grid")
    def plan(self, **request) -> dict[str, Any]:
        """What a density would take, without computing it: the dict that
        `skde density --plan --json` prints. It has the grid, the bandwidth, the engines' offers, the
        chosen engine, and the predicted seconds and bytes."""
        request = self._checked(request)
        return self._for(request).plan(request)

    @document("points")
    def evaluate(self, points: Places | None = None, *, loo: bool = False, gradient: bool = False,
                 log: bool = False, progress: Show = False, **request) -> Any:
        """The density at points; see :func:`skde.evaluate`."""
        request = self._checked(request, ("bounds",))
        if loo:
            if points is not None:
                fail("loo=True evaluates at the samples", "points", "leave out points")
            points = self._samples()
        elif points is None:
            fail("points are missing", "points", "give them, or loo=True for the samples themselves")
        points = self._places(points)
        with shown(progress) as show:
            values, gradients = self._for(request).evaluate(request, points, loo, gradient, log, show)
        return (values, gradients) if gradient else values

    @document("means")
    def smooth(self, values: ArrayLike, points: Places, *, deviation: bool = False, progress: Show = False,
               **request) -> Any:
        """Kernel regression of values at points; see :func:`skde.smooth`."""
        request = self._checked(request, ("dims", "spacing", "bounds", "like"))
        values = _arrays.doubles(values, "values")
        if values.shape[:1] != (len(self),) or values.ndim not in (1, 2):
            fail(f"values must have a row for each of the {len(self)} samples, not the shape {values.shape}", "values")
        if values.size == 0:
            fail("values have no column", "values")
        points = self._places(points)
        columns = 1 if values.ndim == 1 else values.shape[1]
        with shown(progress) as show:
            means, deviations = self._for(request).smooth(request, points, values.reshape(-1), columns, show)
        if values.ndim == 1:
            means, deviations = means[:, 0], deviations[:, 0]
        return (means, deviations) if deviation else means

    @document("search")
    def bandwidth(self, rule: str = "auto", *, progress: Show = False, **request) -> Bandwidth:
        """The bandwidth by a rule; see :func:`skde.bandwidth`."""
        if self._held.are_gaussians():
            fail("rules are for samples, and these are Gaussians", "samples",
                 "open the file with widths='none', or run 'skde bandwidth' for a mixture")
        with shown(progress) as show:
            return Bandwidth(**self._held.bandwidth(plain({"bandwidth": rule, **request}), show))

    def _places(self, points):
        """Points as doubles; those of a file are converted as the samples were."""
        if isinstance(points, (str, os.PathLike)):
            points = self._held.points_of(os.fsencode(points))
        return _arrays.points(points, "points")

    def _samples(self):
        return self._held.samples()

    def _checked(self, request, of_cells=()):
        request = plain(request)
        _keywords.check(request, self._widths, of_cells)
        if request.get("kernel") is None and self._held.are_gaussians():
            request["kernel"] = "gaussian"
        return request


def _refuse(keywords, taken):
    """Raises TypeError for keywords that have no effect on a volume."""
    for name, value in keywords.items():
        if value is not None and name not in taken:
            raise TypeError(f"'{name}' has no effect on a volume that is read")


class Bandwidth:
    """A chosen bandwidth.

    Attributes
    ----------
    h : float
        h in H = h^2 S; 0 if there is none.
    H : numpy.ndarray, (3, 3)
        In squared world units.
    source : str
        The rule.
    curve : numpy.ndarray, (K, 2)
        h and the score of each h that was tried; empty for rules that use moments alone.
    """

    h: float
    H: Array
    source: str
    curve: Array

    def __init__(self, h: float, H: Array, source: str, curve: ArrayLike) -> None:
        self.h, self.H, self.source = h, H, source
        self.curve = np.array(curve, dtype=float).reshape(-1, 2)

    def __repr__(self) -> str:
        return f"<skde.Bandwidth h = {self.h:.6g} by {self.source}>"
