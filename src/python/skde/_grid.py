"""The evaluation grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


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
