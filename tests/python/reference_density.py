"""Densities by their definition, summed in double by NumPy."""

import numpy as np

PEAKS = {"gaussian": (2 * np.pi) ** -1.5, "epanechnikov": 15 / (8 * np.pi)}


def profile(kernel, squares):
    """The kernel of H = I at distances of these squares."""
    if kernel == "gaussian":
        return PEAKS[kernel] * np.exp(-squares / 2)
    return PEAKS[kernel] * np.maximum(1 - squares, 0)


def density_at(points, samples, matrices, kernel, weights=None):
    """(M,) values of samples (N, 3) with one matrix H (3, 3), or one each (N, 3, 3)."""
    samples, points = np.asarray(samples, np.float64), np.asarray(points, np.float64)
    weights = np.ones(len(samples)) if weights is None else np.asarray(weights, np.float64)
    matrices = np.broadcast_to(matrices, (len(samples), 3, 3))
    found = np.zeros(len(points))
    for sample, matrix, weight in zip(samples, matrices, weights):
        away = points - sample
        squares = np.einsum("ij,jk,ik->i", away, np.linalg.inv(matrix), away)
        found += weight * profile(kernel, squares) / np.sqrt(np.linalg.det(matrix))
    return found / weights.sum()


def assert_is_density(density, samples, matrices, kernel, weights=None, tolerance=1e-12):
    """Fails where a value is off by more than this share of the peak."""
    expected = density_at(density.grid.points(), samples, matrices, kernel, weights).reshape(density.grid.shape)
    off = np.abs(density.values - expected).max()
    assert off <= tolerance * max(expected.max(), 1e-300), f"off by {off / expected.max():.3g} of the peak"
