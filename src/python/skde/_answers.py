"""Where, how many, how much: methods of a density."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from . import _arrays
from ._errors import fail
from ._progress import shown


def peaks(self, significance: Real = 0.05, *, prominence: Real | None = None,
          progress: Show = False) -> list[dict[str, Any]]:
    """The modes of the density, the highest first.

    Parameters
    ----------
    significance : float
        Leaves out maxima that may be noise: a chance below this for any of them, from 1e-12 to 0.5.
    prominence : float, optional
        In place of that: leaves out those that stand less than this share of the highest peak
        above the saddle to a higher one.

    Returns
    -------
    list of dict
        One for each as `skde peaks --json` prints it: place, density, their standard errors, mass
        and samples of the basin. Without samples, places are those of parabolas through cells.

    Raises
    ------
    UsageError
        A share is out of range.
    """
    if not 1e-12 <= significance <= 0.5:
        fail(f"significance must be from 1e-12 to 0.5; got {significance}", "significance")
    if prominence is not None and not 0 <= prominence <= 1:
        fail(f"prominence must be from 0 to 1; got {prominence}", "prominence")
    with shown(progress) as show:
        return self._held.peaks(significance, prominence, show)


def clusters(self, mass: Real = 0.5, *, level: Real | None = None, touching: Literal[6, 26] = 26,
             points: ArrayLike | None = None, progress: Show = False) -> SimpleNamespace:
    """The connected regions of cells above a level.

    Parameters
    ----------
    mass : float
        The share of the mass that the cells above the level hold.
    level : float, optional
        In place of that, the level itself.
    touching : {6, 26}
        Cells touch by faces, or also by edges and corners.
    points : array_like, (M, 3), optional
        Points to label.

    Returns
    -------
    types.SimpleNamespace
        The level; `labels`, (nz, ny, nx), of cells, from 1 for the largest mass, 0 below the level;
        `points`, (M,), the labels of the points; `clusters`, a dict for each with its mass, cells,
        volume, centroid, bounds, and the place and the height of its peak.
    """
    if touching not in (6, 26):
        fail(f"touching must be 6 or 26; got {touching}", "touching")
    points = np.empty((0, 3)) if points is None else _arrays.points(points, "points")
    with shown(progress) as show:
        found = self._held.clusters(mass, level, touching == 6, points, show)
    return SimpleNamespace(**dict(zip(("level", "labels", "points", "clusters"), found)))


def mass_above(self, points: ArrayLike) -> Array:
    """The mass of the smallest region that holds a point, as a share of the total.

    Parameters
    ----------
    points : array_like, (M, 3) or (3,)
        Places in world units.

    Returns
    -------
    numpy.ndarray, (M,), or a number for one place
        0 at the peak, 1 where the density is 0, by the cells.
    """
    values = self.at(points)
    found = self._held.masses_above(np.atleast_1d(values))
    return found if np.ndim(values) else found[0]


def mass_in(self, *, box: ArrayLike | None = None, half_space: Any = None, sphere: Any = None,
            mesh: Any = None, progress: Show = False) -> SimpleNamespace:
    """How much of the density lies in a region, as a share of the total.

    Give one region. With samples the mass is the integral of their kernels, without a grid; else
    the sum of the cells.

    Parameters
    ----------
    box : array_like, (2, 3), optional
        The lower and the upper corner; either may be infinite.
    half_space : ((3,), float), optional
        A normal n and an offset d, for the points where n . x > d.
    sphere : ((3,), float), optional
        Centre and radius.
    mesh : ((V, 3), (T, 3)), optional
        Vertices, and triangles of their indices, of a closed mesh.

    Returns
    -------
    types.SimpleNamespace
        mass; standard_error, sd(m_i) / sqrt(n_eff) of the samples' own shares, None without
        samples; error, by which the integral may be off.

    Raises
    ------
    UsageError
        Not one region is given, or one has another shape.
    """
    given = {name: value for name, value in (("box", box), ("half_space", half_space), ("sphere", sphere),
                                             ("mesh", mesh)) if value is not None}
    if len(given) != 1:
        fail("mass_in needs one of box=, half_space=, sphere= and mesh=", "box")
    (name, value), = given.items()
    numbers, vertices, triangles = [], np.empty((0, 3)), np.empty((0, 3), np.uint32)
    if name == "mesh":
        vertices, corners = _arrays.points(value[0], name), np.asarray(value[1])
        if corners.ndim != 2 or corners.shape[1] != 3 or not ((0 <= corners) & (corners < len(vertices))).all():
            fail("triangles of the mesh must be (T, 3) indices of its vertices", name)
        triangles = corners.astype(np.uint32)
    else:
        numbers = [float(number) for part in value for number in np.ravel(part)]
        right = len(numbers) == (6 if name == "box" else 4) and not np.isnan(numbers).any()
        right = right and {"box": lambda: all(map(float.__lt__, numbers[:3], numbers[3:])),
                           "half_space": lambda: any(numbers[:3]) and np.isfinite(numbers).all(),
                           "sphere": lambda: 0 < numbers[3] and np.isfinite(numbers).all()}[name]()
        if not right:
            fail(f"{name} must be {'two corners, the lower one first' if name == 'box' else 'three numbers and one'}; "
                 f"got {value!r}", name)
    with shown(progress) as show:
        found = self._held.mass_in(name, numbers, vertices, triangles, show)
    return SimpleNamespace(**dict(zip(("mass", "standard_error", "error"), found)))
