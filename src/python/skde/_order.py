"""Rows in another order."""

from __future__ import annotations

import numpy as np

from . import _arrays, _skde
from ._errors import fail
from ._progress import shown


def organise(values: ArrayLike, *, seed: int = 1, engine: Literal['auto', 'cpu', 'gpu'] = "auto",
             progress: Show = False) -> NDArray[np.int64]:
    """Puts rows on a grid of about sqrt(N) by sqrt(N) cells so that neighbours are alike.

    Parameters
    ----------
    values : array_like (N, columns)
        The columns by which rows are compared. The first three are positions, which share a scale;
        each other column is compared in units of its deviation.
    seed : int
        The same seed gives the same grid on the same machine.
    engine : {'auto', 'cpu', 'gpu'}
        Where to compute; auto: on the GPU if there is one.
    progress : bool or callable
        True shows a bar; a function is called as f(stage, done, total, unit), and may raise to stop.

    Returns
    -------
    numpy.ndarray (height, width)
        The row (from 0) in each cell; -1 in the empty cells, which are the last of the last line.
        The width is sqrt(N), rounded up.

    Raises
    ------
    UsageError, InputError
        ValueErrors: the array has another shape, or a value is not finite.
    ResourceError
        A MemoryError: memory is short, or there is no GPU.

    Examples
    --------
    >>> import numpy as np, skde
    >>> colours = np.random.default_rng(1).random((400, 3))
    >>> grid = skde.organise(colours)
    >>> grid.shape, colours[grid].shape
    ((20, 20), (20, 20, 3))
    """
    values = _arrays.numbers(values, "values")
    if values.ndim != 2 or values.shape[1] == 0:
        fail(f"values must have the shape (N, columns), not {values.shape}", "values")
    if engine not in ("auto", "cpu", "gpu"):
        fail(f"engine must be 'auto', 'cpu' or 'gpu'; got {engine!r}", "engine")
    if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool) or not 0 <= seed < 2**63:
        fail(f"seed must be a whole number of 0 or more; got {seed!r}", "seed")
    with shown(progress) as show:
        return _skde.organise(_arrays.doubles(values, "values"), int(seed), engine, show)
