"""Rows on a grid whose neighbours are alike."""

import numpy as np
import pytest

import skde


@pytest.mark.parametrize("rows, columns", [(1, 3), (2, 1), (5, 2), (97, 3), (400, 14), (1009, 4)])
def test_each_row_is_in_one_cell(rows, columns):
    grid = skde.organise(np.random.default_rng(rows).normal(size=(rows, columns)), engine="cpu")
    height, width = grid.shape
    assert width == int(np.ceil(np.sqrt(rows))) and height == -(-rows // width)
    assert sorted(grid.ravel()[:rows]) == list(range(rows)) and (grid.ravel()[rows:] == -1).all()


def test_neighbours_are_alike_and_the_seed_decides():
    colours = np.random.default_rng(1).random((900, 3))
    grid = skde.organise(colours, engine="cpu")
    given = np.arange(900).reshape(30, 30)
    step = [np.linalg.norm(np.diff(colours[order], axis=0), axis=2).mean() for order in (grid, given)]
    assert step[0] < 0.4 * step[1]
    assert (skde.organise(colours, engine="cpu") == grid).all()
    assert (skde.organise(colours, seed=2, engine="cpu") != grid).any()


def test_large_coordinates_keep_their_differences():
    points = np.random.default_rng(1).random((400, 3))
    step = [np.linalg.norm(np.diff(points[skde.organise(points + far, engine="cpu")], axis=0), axis=2).mean()
            for far in (0, 2.0 ** 30)]
    assert step[1] < 1.05 * step[0]


def test_errors():
    with pytest.raises(skde.InputError, match="row 3 "):
        skde.organise([[1, 2, 3], [4, 5, 6], [7, np.nan, 8]], engine="cpu")
    for given in ({"values": [1, 2, 3]}, {"values": np.ones((3, 0))}, {"engine": "tpu"}, {"seed": -1}, {"seed": 1.5}):
        with pytest.raises(skde.UsageError):
            skde.organise(**{"values": np.ones((4, 3)), **given})
