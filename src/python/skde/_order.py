"""Rows in another order: along curves, by a column, or on a grid."""

from __future__ import annotations

import os

import numpy as np

from . import _arrays, _skde
from ._errors import fail
from ._progress import shown


def organise(values: ArrayLike, *, seed: Int = 1, engine: Literal['auto', 'cpu', 'gpu'] = "auto",
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


def sort(points: ArrayLike, by: Literal['morton', 'hilbert'] = "morton", reverse: bool = False, *,
         progress: Show = False) -> NDArray[np.int64]:
    """The order of points along a space-filling curve through their box, on all cores.

    Parameters
    ----------
    points : array_like (N, 3)
        Points; all coordinates are finite.
    by : {'morton', 'hilbert'}
        The curve. Its codes have 63 bits.
    reverse : bool
        Descending order. Points with the same code keep their order either way.
    progress : bool or callable
        True shows a bar; a function is called as f(stage, done, total, unit), and may raise to stop.

    Returns
    -------
    array (N,) of int64
        The rows of `points`, so that ``points[order]`` is sorted.

    Raises
    ------
    UsageError, InputError
        ValueErrors: no curve has this name, or a coordinate is not finite. `parameter` names the keyword.

    Examples
    --------
    >>> import skde
    >>> skde.sort([[9, 9, 9], [0, 0, 0], [0, 9, 0]])
    array([1, 2, 0])
    """
    with shown(progress) as show:
        return _skde.sort(_arrays.points(points, "points"), str(by), bool(reverse), show)


def sort_file(inputs: str | PathLike[str] | Sequence[str | PathLike[str]], output: str | PathLike[str], by: str = "morton",
              reverse: bool = False, *, index: bool = False, columns: Sequence[str] | None = None,
              memory_limit: Int = 0, engine: Literal['auto', 'cpu', 'gpu'] = "auto",
              progress: Show = False) -> dict[str, Any]:
    """Writes the rows of files in order, as one file; see the command `skde sort`.

    Parameters
    ----------
    inputs : path, or list of paths
        NPY, binary PLY and LAS files keep all bytes of their rows, and may be larger than memory.
    output : path
        The file to write, of the same format for these.
    by : str
        'morton', 'hilbert', or the name or number (from 1) of a column.
    reverse : bool
        Descending order. Rows with equal keys keep their order either way.
    index : bool
        For NPY: keeps the box and count of every 65,536 rows in `output` + ".json".
    columns : three names or numbers, optional
        Of x, y and z. Default: by their usual names.
    memory_limit : int
        Bytes of host memory. Default: half of what is available.
    engine : {'auto', 'cpu', 'gpu'}
        What sorts the keys; auto is a GPU if there is one.
    progress : bool or callable
        True shows a bar; a function is called as f(stage, done, total, unit), and may raise to stop.

    Returns
    -------
    dict
        rows, runs (1: all rows fitted into memory), device, keeps_types and index_blocks.

    Raises
    ------
    UsageError, InputError
        ValueErrors: a keyword or a file cannot be used, or a row has no place in the order.
    OutputError
        An OSError: the output cannot be written.
    ResourceError
        A MemoryError: too few rows fit into memory, or there is no GPU.
    """
    paths = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    if not paths:
        fail("inputs must name a file", "inputs")
    more = {"reverse": bool(reverse), "index": bool(index), "engine": str(engine), "memory_limit": int(memory_limit),
            "columns": [] if columns is None else [str(column) for column in columns]}
    if len(more["columns"]) not in (0, 3):
        fail("columns must be three names or numbers", "columns")
    with shown(progress) as show:
        return _skde.sort_file([os.fsencode(path) for path in paths], os.fsencode(output), str(by), more, show)
