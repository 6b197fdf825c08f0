"""Rows on a grid whose neighbours are alike; orders of points and sorted files, against codes that numpy computes."""

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


def test_rows_that_cannot_be_organised():
    with pytest.raises(skde.InputError, match=r"row 2 \(from 0\)"):
        skde.organise([[1, 2, 3], [4, 5, 6], [7, np.nan, 8]], engine="cpu")
    for given in ({"values": [1, 2, 3]}, {"values": np.ones((3, 0))}, {"engine": "tpu"}, {"seed": -1}, {"seed": 1.5}):
        with pytest.raises(skde.UsageError):
            skde.organise(**{"values": np.ones((4, 3)), **given})


def morton_codes(points):
    low, high = points.min(0), points.max(0)
    cells = np.minimum(((points - low) / (high - low) * 2**21).astype(np.uint64), 2**21 - 1)
    codes = np.zeros(len(points), np.uint64)
    for bit in range(21):
        for axis in range(3):
            codes |= (cells[:, axis] >> np.uint64(bit) & np.uint64(1)) << np.uint64(3 * bit + axis)
    return codes


@pytest.fixture
def points():
    return np.random.default_rng(4).normal(size=(5000, 3)).round(1)  # many are equal


def test_the_order_is_that_of_morton_codes(points):
    codes = morton_codes(points)
    assert (skde.sort(points) == np.argsort(codes, kind="stable")).all()
    assert (skde.sort(points, "morton", True) == np.argsort(~codes, kind="stable")).all()


def test_consecutive_cells_along_a_hilbert_curve_are_neighbours():
    cells = np.stack(np.meshgrid(*3 * [np.arange(8)], indexing="ij"), -1).reshape(-1, 3)
    steps = np.abs(np.diff(cells[skde.sort(cells, by="hilbert")], axis=0)).sum(1)
    assert (steps == 1).all()


def test_points_without_an_order_are_refused(points):
    with pytest.raises(skde.UsageError) as refused:
        skde.sort(points, by="peano")
    assert refused.value.parameter == "by"
    points[7, 1] = np.nan
    with pytest.raises(skde.InputError, match=r"row 7 \(from 0\)"):
        skde.sort(points)


def test_files_keep_their_columns_and_types(tmp_path, points):
    rows = np.zeros(len(points), [("x", "f4"), ("y", "f4"), ("z", "f4"), ("id", "u8"), ("name", "S3")])
    for axis, name in enumerate("xyz"):
        rows[name] = points[:, axis]
    rows["id"] = np.arange(len(points), dtype="u8")[::-1] // 3 + np.uint64(2**63)
    rows["name"] = [str(i % 999).encode() for i in range(len(points))]
    np.save(tmp_path / "a.npy", rows)
    facts = skde.sort_file(tmp_path / "a.npy", tmp_path / "b.npy", by="id", index=True, engine="cpu")
    assert facts["rows"] == len(points) and facts["keeps_types"] and facts["index_blocks"] == 1
    assert (np.load(tmp_path / "b.npy") == rows[np.argsort(rows["id"], kind="stable")]).all()
    assert (tmp_path / "b.npy.json").exists()
    with pytest.raises(skde.UsageError):
        skde.sort_file(tmp_path / "a.npy", tmp_path / "b.csv", by="id")
