"""Densities on a grid."""

from __future__ import annotations

import operator
import os
from types import SimpleNamespace

import numpy as np

from . import _arrays, _plot, _skde
from ._errors import fail
from ._grid import Grid
from ._progress import shown

_AXES = {"x": 0, "y": 1, "z": 2}


def _axis(axis):
    number = _AXES.get(axis, axis)
    if number not in (0, 1, 2):
        fail(f"axis must be x, y or z, or 0, 1 or 2; got {axis!r}", "axis")
    return number


def _rebuild(values, grid, metadata, samples=None, keywords=None, told=None, errors=None):
    return Density(_skde.density_from(values, grid, metadata, samples, keywords or {}, errors), keywords, told)


class Density:
    """A density on a grid, as :func:`skde.density`, :meth:`skde.Session.density` and
    :func:`skde.read` return it.

    The values stay where the engine computed them: on a GPU they are copied to the host once, when
    `values` is used. `numpy.asarray(d)` shares them. `torch.from_dlpack(d)` copies them on the host, and
    shares them on a GPU, as `cupy.asarray(d)` does: do not write to these.

    A density pickles its samples and its request along, so that its copy does all that it does.
    """

    def __init__(self, held, keywords=None, told=None):
        self._held = held
        self._keywords = keywords or {}
        self._told = told  # (plan, summary) of the density that was pickled

    # What it is.

    @property
    def values(self) -> Array:
        """The density at the centres of the cells, (nz, ny, nx), read-only, float32 or float64."""
        return self._held.values

    @property
    def standard_error(self) -> Array | None:
        """The standard errors of the values, of their shape and type; None without `standard_error=True`.

        They are sqrt(sum w^2 k^2 / W^2 - f^2 / n_eff) with the kernels k of the samples: the deviation
        of the density over draws of as many samples, at the same bandwidth.
        """
        return self._held.standard_error

    @property
    def grid(self) -> Grid:
        """The :class:`skde.Grid` of the values."""
        return Grid(**self._held.grid)

    @property
    def H(self) -> Array:
        """The bandwidth matrix, (3, 3), in squared world units."""
        return self._held.H

    @property
    def metadata(self) -> dict[str, Any]:
        """What volume files say of the density: a dict of texts, numbers and lists of numbers."""
        return {name: value[0] if isinstance(value, list) and len(value) == 1 else value
                for name, value in self._held.metadata}

    @property
    def h(self) -> float | None:
        """h in H = h^2 S; None if the bandwidth has no h."""
        return self.metadata.get("h")

    @property
    def sharpened(self) -> bool:
        """Whether samples were moved by half of their mean shift before the sum."""
        return bool(self.metadata.get("sharpened"))

    @property
    def mass(self) -> float:
        """The integral of the values over the box: their sum times the volume of a cell."""
        return float(self.values.sum(dtype=np.float64)) * self.grid.cell_volume

    @property
    def plan(self) -> dict[str, Any]:
        """How it was computed, as `skde density --plan --json` prints it: a dict."""
        return self._told[0] if self._told else self._held.plan

    @property
    def summary(self) -> dict[str, Any]:
        """What `skde density --json` prints: a dict of facts, errors, times and warnings."""
        return self._told[1] if self._told else self._held.summary

    # Questions.

    def at(self, points: ArrayLike) -> Array:
        """The density at points.

        A density of samples is evaluated there exactly, in double; one that was read from a file, or
        of a dask array, is interpolated linearly between the centres of its cells, and is 0 outside
        of the box.

        Parameters
        ----------
        points : array_like, (M, 3) or (3,)
            Places in world units.

        Returns
        -------
        numpy.ndarray, (M,), or a number for one place
        """
        points, is_place = _arrays.place_or_points(points, "points")
        found = self._held.at(points, None) if self._held.has_samples else self._interpolated(points)
        return found[0] if is_place else found

    def _interpolated(self, points):
        grid, values = self.grid, self.values.astype(np.float64)
        lower, spacing, dims = map(np.asarray, (grid.lower, grid.spacing, grid.dims))
        inside = ((points >= lower) & (points <= lower + dims * spacing)).all(axis=1)
        places = np.clip((points - lower) / spacing - 0.5, 0, dims - 1)
        low = np.minimum(places.astype(np.int64), np.maximum(dims - 2, 0))
        share = places - low
        high = np.minimum(low + 1, dims - 1)
        found = np.zeros(len(points))
        for corner in np.ndindex(2, 2, 2):
            weight = np.prod([share[:, a] if c else 1 - share[:, a] for a, c in enumerate(corner)], axis=0)
            i, j, k = (high[:, a] if c else low[:, a] for a, c in enumerate(corner))
            found += weight * values[k, j, i]
        return np.where(inside, found, 0.0)

    def levels(self, mass: Real | Sequence[float] | Array, progress: Show = False) -> Any:
        """The densities above which the smallest regions with these masses lie.

        Parameters
        ----------
        mass : float or sequence of floats
            Shares of the whole mass, each between 0 and 1.

        Returns
        -------
        numpy.ndarray
            One level for each mass, in 1 / (world unit)^3; a float for a single mass. The region of
            a level holds the cells above it (Hyndman, The American Statistician 50(2), 1996).
        """
        if np.ndim(mass) > 1:
            fail("mass must be one share or a sequence of them", "mass")
        with shown(progress) as show:
            found = self._held.levels(np.atleast_1d(np.asarray(mass, dtype=float)).tolist(), show)
        levels = np.array([row[1] for row in found])
        return float(levels[0]) if np.ndim(mass) == 0 else levels

    def isosurface(self, level: Real | None = None, *, mass: Real | None = None,
                   progress: Show = False) -> SimpleNamespace:
        """The surface around all that is denser than a level.

        Parameters
        ----------
        level : float, optional
            A density in 1 / (world unit)^3.
        mass : float, optional
            Instead of the level: the share of the mass that the surface holds.

        Returns
        -------
        types.SimpleNamespace
            vertices (V, 3) and normals (V, 3) in world units, triangles (T, 3) of indices, and the
            floats level, volume and mass.
        """
        if (level is None) == (mass is None):
            fail("isosurface needs either level= or mass=", "level")
        with shown(progress) as show:
            return SimpleNamespace(**self._held.surface(level, mass, show))

    def projection(self, axis: str | int = "z", kind: Literal['integral', 'maximum'] = "integral") -> Array:
        """The values along an axis, integrated or at their greatest.

        Returns an array whose rows and columns are the two other axes: (y, x) along z, (z, x) along
        y, (z, y) along x.
        """
        if kind not in ("integral", "maximum"):
            fail(f"kind must be 'integral' or 'maximum'; got {kind!r}", "kind")
        return self._held.projection(_axis(axis), kind == "maximum")

    def slice(self, axis: str | int = "z", at: Real | None = None) -> Array:
        """The values on the plane across an axis at a place in world units; the middle by default."""
        number = _axis(axis)
        lower, upper = self.grid.bounds
        return self._held.slice(number, (lower[number] + upper[number]) / 2 if at is None else float(at))

    def sample(self, count: Int, seed: Int = 1, progress: Show = False) -> Array:
        """Draws from the density: (count, 3) in world units, the same for the same seed.

        A draw takes a sample by its weight and a place by its kernel, so that it does not depend on
        the grid. A density that was read from a file has no samples: ValueError.
        """
        for name, number in (("count", count), ("seed", seed)):
            if not hasattr(number, "__index__"):
                raise TypeError(f"{name} must be a whole number; got {number!r}")
            if not 0 <= number < 2**63:
                fail(f"{name} must be 0 or more; got {number}", name)
        with shown(progress) as show:
            return self._held.sample(operator.index(count), operator.index(seed), show)

    from ._answers import clusters, mass_above, mass_in, peaks

    def compare(self, other: Density, normalize: bool = False,
                resample: Literal['A', 'B'] | None = None) -> dict[str, Any]:
        """How alike two densities on one grid are; see :func:`skde.compare`."""
        return compare(self, other, normalize, resample)

    # Out.

    def save(self, path: str | PathLike[str], progress: Show = False) -> None:
        """Writes a volume file: .vti, .nrrd, .npy, .nc, .nii, .mha or .vdb by its extension."""
        with shown(progress) as show:
            self._held.save(os.fsencode(path), show)

    def to_xarray(self) -> Any:
        """An xarray.DataArray with the dimensions z, y and x, their coordinates and the metadata."""
        import xarray

        x, y, z = self.grid.axes
        units = self.metadata.get("units")
        coordinates = {name: (name, values, {"units": units} if units else {})
                       for name, values in (("z", z), ("y", y), ("x", x))}
        return xarray.DataArray(self.values, coordinates, ("z", "y", "x"), "density", self.metadata)

    def to_pyvista(self) -> Any:
        """A pyvista.ImageData whose points are the centres of the cells; needs pyvista."""
        return _plot.to_pyvista(self)

    # Looking.

    def plot(self, kind: str = "projections", *, at: Sequence[float] | Array | None = None, units: str | None = None,
             levels: float | Sequence[float] | Array | None = (0.5, 0.95), log: bool = False, cmap: Any = "viridis",
             figure: Any = None) -> Any:
        """Draws three projections or slices; needs matplotlib.

        Parameters
        ----------
        kind : str
            "projections": the integrals along z, y and x; "slices": the planes across z, y and x.
        at : sequence of 3 floats, optional
            Of slices: where the planes are, in world units. Default: where the density is greatest.
        units : str, optional
            Of lengths, for the labels. Default: those of the metadata.
        levels : float or sequence of floats, optional
            Lines around the densest regions with these shares of the mass: of projections the
            smallest areas, of slices the cuts of the smallest volumes (see :meth:`levels`). None: no lines.
        log : bool
            Colours by the logarithm, over four decades.
        cmap : str or matplotlib.colors.Colormap
            The colour map.
        figure : matplotlib.figure.Figure or SubFigure, optional
            Where to draw. Default: a new one.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        ImportError
            Matplotlib is not installed.
        ValueError
            The kind, a place or a level cannot be used.
        """
        return _plot.plot(self, kind, at=at, units=units, levels=levels, log=log, cmap=cmap, figure=figure)

    def show(self, wait: bool = False) -> Any:
        """Opens the program skde-view on the density, of which it gets a temporary copy.

        Parameters
        ----------
        wait : bool
            Return when the window is closed.

        Returns
        -------
        subprocess.Popen
            The program.

        Raises
        ------
        Error
            The program is not installed, or cannot start, as without a display.
        """
        return _plot.show(self, wait)

    def _repr_html_(self):
        return _plot.to_html(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        values = self.values if dtype is None else self.values.astype(dtype, copy=False)
        return values.copy() if copy else values

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None,
                   copy: bool | None = None) -> Any:
        on_host = self.__dlpack_device__()[0] == 1
        if copy is not None and bool(copy) != on_host:
            raise BufferError("values are copied in host memory, and shared in that of a GPU; leave copy out")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError("the values are on another device")
        return self._held.dlpack(max_version is not None and max_version[0] >= 1)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._held.dlpack_device

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        found = self._held.device_array
        if found is None:
            raise AttributeError("the values are in host memory")
        return found

    def __reduce__(self):
        return _rebuild, (self.values, self._held.grid, self._held.metadata, self._held.samples(), self._keywords,
                          (self.plan, self.summary), self.standard_error)

    def __copy__(self):
        return Density(self._held, self._keywords, self._told)

    def __deepcopy__(self, memo):
        return self.__copy__()  # a density never changes

    def __repr__(self) -> str:
        nx, ny, nz = self.grid.dims
        about = self.metadata
        text = f"<skde.Density {nx} x {ny} x {nz} {self.values.dtype}"
        if "samples" in about:
            text += f", {int(about['samples']):,} samples, {about.get('kernel', '')} kernel"
        return text + (f", h = {self.h:.4g}>" if self.h else ">")


def compare(a: Density, b: Density, normalize: bool = False,
            resample: Literal['A', 'B'] | None = None) -> dict[str, Any]:
    """How alike two densities on one grid are.

    Parameters
    ----------
    a, b : Density
        Densities with the same cells; use `like=` to estimate one on the grid of the other.
    normalize : bool
        Divide each by its mass inside the box first.
    resample : {'A', 'B'}, optional
        Bring a or b onto the grid of the other first, by linear interpolation.

    Returns
    -------
    dict
        What `skde compare --json` prints: masses, overlap, l1, l2, the largest difference, the
        Hellinger distance, divergences in nats, and earth mover's distances of the marginals.
    """
    if not isinstance(a, Density) or not isinstance(b, Density):
        raise TypeError("compare takes two densities")
    if resample not in (None, "A", "B"):
        fail(f"resample must be 'A' or 'B'; got {resample!r}", "resample")
    return _skde.compare(a._held, b._held, bool(normalize), resample or "")


def read(path: str | PathLike[str], progress: Show = False) -> Density:
    """Reads a density from a volume file (.vti, .nrrd, .npy, .nc, .nii, .mha, .vdb)."""
    held = _skde.Session({})
    with shown(progress) as show:
        held.open_files([os.fsencode(path)], False, show)
        return Density(held.density({}, show))
