"""Parallel linear assignment sorting as published (Morgenstern et al., Compact 3D scene representation via
self-organizing Gaussian grids, ECCV 2024, section 3.2), in numpy and independent of skde.

The items begin in random order. A target is the blurred grid; blocks of about the size of the blur, at random offsets, are
cut into random groups of four cells, and each group takes the best of its 24 permutations. A radius ends when the sum of
squared distances falls by less than a share (the improvement break) in each of a few placements of the blocks; then the
radius falls by 0.95."""
import itertools

import numpy

PERMUTATIONS = numpy.array(list(itertools.permutations(range(4))))
LEAST_BLOCK, PLACEMENTS, FALL = 16, 4, 0.95


def blurred(grid, width):
    """Blurs (rows, columns, values) with a Gaussian of sigma `width` cut to `width` cells; edges reflect."""
    half = width // 2
    weights = numpy.exp(-0.5 * (numpy.arange(-half, half + 1) / width) ** 2)
    weights /= weights.sum()
    for axis in (0, 1):
        padding = [(0, 0)] * 3
        padding[axis] = (half, half)
        padded = numpy.pad(grid, padding, mode="reflect")
        length = grid.shape[axis]
        around = numpy.moveaxis(padded, axis, 0).reshape(length + 2 * half, -1)
        bands = numpy.zeros((length, length + 2 * half), grid.dtype)
        for row in range(length):
            bands[row, row:row + 2 * half + 1] = weights
        other = [size for i, size in enumerate(grid.shape) if i != axis]
        grid = numpy.moveaxis((bands @ around).reshape([length] + other), 0, axis)
    return grid


def assign_groups(values, target, items, cells):
    """Permutes the items of each group, a row of four cells; returns by how much the squared distances fell."""
    found, wanted = values[cells], target[cells]
    likeness = found @ wanted.transpose(0, 2, 1)  # the squares of both cancel among permutations
    totals = sum(likeness[:, PERMUTATIONS[:, place], place] for place in range(4))
    best = totals.argmax(1)
    rows = numpy.arange(len(cells))
    gain = 2 * (totals[rows, best] - totals[:, 0])
    moved = best != 0
    source = numpy.take_along_axis(cells, PERMUTATIONS[best], 1)[moved]
    values[cells[moved]], items[cells[moved]] = values[source], items[source]
    return float(gain.sum(dtype=numpy.float64))


def block_cells(side, block, random):
    """The cells of each block, (blocks, block^2), at a random offset."""
    count = side // block
    along = numpy.arange(count * block)
    y, x = ((along + random.integers(block)) % side for _ in range(2))
    cells = y[:, None] * side + x[None, :]
    return cells.reshape(count, block, count, block).transpose(0, 2, 1, 3).reshape(count ** 2, block ** 2)


def arranged(values, side, seed=1, improvement_break=1e-4):
    """Returns which of the side^2 rows of `values` is in each cell, row by row, and the number of passes."""
    random = numpy.random.default_rng(seed)
    items = random.permutation(side ** 2)
    values = values.astype(numpy.float32)[items]
    values -= values.mean(0)
    radius, passes = side / 2 - 1, 0
    while True:
        width = min(side - 1, int(2 * int(radius) + 1))
        width -= 1 - width % 2
        target = blurred(values.reshape(side, side, -1), width).reshape(values.shape).astype(numpy.float32)
        block = max(min(width + 1, side) // 2 * 2, min(LEAST_BLOCK, side))
        placement = 0
        while True:
            cells = block_cells(side, block, random)
            distance = float(((values[cells] - target[cells]) ** 2).sum(dtype=numpy.float64))
            improved = False
            while True:
                passes += 1
                groups = cells[:, random.permutation(block ** 2)].reshape(-1, 4)
                gain = assign_groups(values, target, items, groups)
                if distance <= 0 or gain / distance < improvement_break:
                    break
                distance -= gain
                improved = True
            if not improved and placement >= PLACEMENTS - 1:
                break
            placement += 1
        radius *= FALL
        if radius < 1:
            return items, passes


def variance_of_differences(grid):
    """VAD of (rows, columns, values): the mean of the variance of |dx| and that of |dy|, each over all values."""
    return float(numpy.mean([numpy.abs(numpy.diff(grid, axis=axis)).var() for axis in (0, 1)]))


def neighbour_distance(grid):
    """The mean distance of cells that share an edge, of (rows, columns, values)."""
    return float(numpy.concatenate([numpy.sqrt((numpy.diff(grid, axis=axis) ** 2).sum(2)).ravel()
                                    for axis in (0, 1)]).mean())
