"""The evaluation grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._errors import fail


@dataclass(frozen=True)
class Grid:
    """An axis-aligned box cut into cells; densities are values at the centres of the cells.

    Parameters
    ----------
    lower : tuple of 3 floats
        The lower corner of the first cell, in world units.
    spacing : tuple of 3 floats
        The edges of a cell, in world units.
    dims : tuple of 3 ints
        Cells along x, y and z.
    """

    lower: tuple[float, float, float]
    spacing: tuple[float, float, float]
    dims: tuple[int, int, int]

    @property
    def shape(self) -> tuple[int, int, int]:
        """(nz, ny, nx), the shape of arrays of values."""
        return self.dims[::-1]

    @property
    def bounds(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The outer faces: ((x0, y0, z0), (x1, y1, z1))."""
        upper = tuple(a + n * s for a, n, s in zip(self.lower, self.dims, self.spacing))
        return self.lower, upper

    @property
    def cell_volume(self) -> float:
        """The volume of a cell, in cubed world units."""
        return float(np.prod(self.spacing))

    @property
    def axes(self) -> tuple[Array, Array, Array]:
        """The centres of the cells along x, y and z, as three arrays."""
        return tuple(a + s * (np.arange(n) + 0.5) for a, n, s in zip(self.lower, self.dims, self.spacing))

    def points(self) -> Array:
        """The centres of all cells, (nz * ny * nx, 3), in the order of `values.ravel()`."""
        x, y, z = self.axes
        z, y, x = np.meshgrid(z, y, x, indexing="ij")
        return np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)


def grid_like(value):
    """The grid of a Density, of a Grid, or of the centres of cells that an xarray.DataArray has."""
    if isinstance(value, Grid) or not hasattr(value, "coords"):
        return getattr(value, "grid", value)
    axes = [np.asarray(value.coords[name], dtype=float) if name in value.coords else np.zeros(0) for name in "xyz"]
    if any(axis.ndim != 1 or len(axis) < 2 for axis in axes):
        fail("like needs the coordinates x, y and z, each of 2 cells or more", "like")
    spacing = [(axis[-1] - axis[0]) / (len(axis) - 1) for axis in axes]
    for axis, step in zip(axes, spacing):
        if not (step > 0 and np.allclose(np.diff(axis), step, rtol=1e-4)):
            fail("like needs coordinates that ascend in equal steps", "like")
    known = [value.attrs.get(name) for name in ("lower_corner", "cell_size")]  # to the last bit
    lower = [float(axis[0] - step / 2) for axis, step in zip(axes, spacing)]
    if all(given is not None for given in known) and np.allclose(known, [lower, spacing], rtol=1e-6):
        lower, spacing = known
    return Grid(tuple(map(float, lower)), tuple(map(float, spacing)), tuple(map(len, axes)))


def frame_of(value):
    """The frame of the cells of a Density or xarray.DataArray; "" if it is not known."""
    return (getattr(value, "metadata", None) or getattr(value, "attrs", {})).get("frame", "")
