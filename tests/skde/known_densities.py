"""Draws from 24 known densities, and the integrated squared error of a Gaussian-kernel density with any matrix H.

22 densities are mixtures of normal densities, also those that wind or bend; a cube is uniform, and an octant exponential.
With f the density, K a normal density of covariance H, and g the mean of K around n samples, the error is

    integral of (g - f)^2 = (1/n^2) sum_ij N(x_i - x_j; 2H) - (2/n) sum_i (f * K)(x_i) + integral of f^2

whose terms are sums or closed forms: no grid resolves f or g. Errors are relative to the integral of f^2. Sums over pairs
leave out what is below exp(-16) of a pair at one place. They are compiled at import, as numpy would take minutes.
"""

import ctypes
import os
import subprocess
import tempfile

import numpy
import scipy.optimize
import scipy.special

SUMS = r"""
#include <math.h>
enum { SIDE = 64 };
static double apart(const double (*box)[6], long a, long b) {
  double d2 = 0;
  for (int k = 0; k < 3; ++k) {
    double d = fmax(box[a][k] - box[b][k + 3], box[b][k] - box[a][k + 3]);
    if (d > 0) d2 += d * d;
  }
  return d2;
}
/* The sum of exp(-|x_i - x_j|^2) over pairs i < j; or, with `moments`, for each i the sum of it, and of it times x_j. */
double pairs(const double* x, long n, double (*box)[6], double* moments) {
  const double *X = x, *Y = x + n, *Z = x + 2 * n;
  long blocks = (n + SIDE - 1) / SIDE;
  double sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (long a = 0; a < blocks; ++a)
    for (long b = moments ? 0 : a; b < blocks; ++b) {
      if (apart(box, a, b) > 16) continue;
      long end = b * SIDE + SIDE < n ? b * SIDE + SIDE : n;
      for (long i = a * SIDE; i < a * SIDE + SIDE && i < n; ++i) {
        double s = 0, sx = 0, sy = 0, sz = 0;
        for (long j = !moments && a == b ? i + 1 : b * SIDE; j < end; ++j) {
          double u = X[j] - X[i], v = Y[j] - Y[i], w = Z[j] - Z[i], e = exp(-(u * u + v * v + w * w));
          s += e, sx += e * u, sy += e * v, sz += e * w;
        }
        sum += s;
        if (moments) moments[4 * i] += s, moments[4 * i + 1] += sx, moments[4 * i + 2] += sy, moments[4 * i + 3] += sz;
      }
    }
  return sum;
}
/* Adds to each out[i] the normal densities of `count` parts: height, centre, and xx, yy, zz, xy, xz, yz of a form. */
void normals(const double* x, long n, const double* part, long count, double* out) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    double sum = 0;
    for (long k = 0; k < count; ++k) {
      const double* p = part + 10 * k;
      double u = x[i] - p[1], v = x[n + i] - p[2], w = x[2 * n + i] - p[3];
      sum += p[0] * exp(p[4] * u * u + p[5] * v * v + p[6] * w * w + p[7] * u * v + p[8] * u * w + p[9] * v * w);
    }
    out[i] += sum;
  }
}
"""


def compiled():
    """Returns the functions of SUMS; raises ImportError without a compiler."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # others use the cores, too
    with tempfile.TemporaryDirectory() as folder:
        source, library = os.path.join(folder, "sums.c"), os.path.join(folder, "sums.so")
        with open(source, "w", encoding="ascii") as file:
            file.write(SUMS)
        try:
            subprocess.run(["cc", "-O3", "-march=native", "-ffast-math", "-fopenmp", "-shared", "-fPIC", source, "-o", library, "-lm"],
                           check=True)
        except (OSError, subprocess.CalledProcessError) as failed:
            raise ImportError(f"no C compiler: {failed}") from failed
        loaded = ctypes.CDLL(library)
    loaded.pairs.restype = ctypes.c_double
    return loaded


LIBRARY = compiled()


def pointer(array):
    """The address of contiguous doubles."""
    return array.ctypes.data_as(ctypes.c_void_p)


def in_blocks(points, blocks=64):
    """Returns an order in which each 64 samples are near one another, by halving along the longest side."""
    def halves(chosen):
        if len(chosen) <= blocks:
            return [chosen]
        axis = numpy.ptp(points[chosen], axis=0).argmax()
        middle = (len(chosen) // blocks + 1) // 2 * blocks
        parted = chosen[numpy.argpartition(points[chosen, axis], min(middle, len(chosen) - 1))]
        return halves(parted[:middle]) + halves(parted[middle:])
    return numpy.concatenate(halves(numpy.arange(len(points))))


def pair_sums(points, moments=None):
    """Calls pairs() for points in the order of in_blocks()."""
    starts = numpy.arange(0, len(points), 64)
    box = numpy.hstack([numpy.minimum.reduceat(points, starts), numpy.maximum.reduceat(points, starts)])
    return LIBRARY.pairs(pointer(numpy.ascontiguousarray(points.T)), ctypes.c_long(len(points)), pointer(box),
                         None if moments is None else pointer(moments))


def height(H):
    """The value of a normal density of covariance H at its centre."""
    return ((2 * numpy.pi)**3 * numpy.linalg.det(H))**-0.5


def whitened(points, H):
    """Returns points z, x = z L^T, in which a form of H is |z|^2; and L."""
    L = numpy.linalg.cholesky(H)
    return numpy.linalg.solve(L, points.T).T, L


def squared(points, H):
    """The integral of the squared Gaussian-kernel density."""
    z, _ = whitened(points, 4 * H)
    return (2 * pair_sums(z[in_blocks(z)]) / len(z) + 1) / len(z) * height(2 * H)


def sharpened(points, H):
    """Moves each sample by half of its mean shift, x + H/2 grad log g(x)."""
    z, L = whitened(points, 2 * H)
    order = in_blocks(z)
    moments = numpy.zeros((len(z), 4))
    pair_sums(z[order], moments)
    moved = numpy.array(points)
    moved[order] += 0.5 * moments[:, 1:] / moments[:, :1] @ L.T
    return moved


class Mixture:
    """A mixture of normal densities, by arrays: shares, centres, covariances."""

    def __init__(self, shares, centres, covariances):
        self.shares = numpy.array(shares, float) / numpy.sum(shares)
        self.centres = numpy.array(centres, float)
        self.covariances = numpy.array(covariances, float)
        pairs = self.centres[:, None] - self.centres
        C = self.covariances[:, None] + self.covariances
        form = numpy.einsum("...i,...ij,...j", pairs, numpy.linalg.inv(C), pairs)
        self.square = self.shares @ (numpy.exp(-0.5 * form) * height(C)) @ self.shares

    def draw(self, count, seed):
        """Draws samples."""
        random = numpy.random.default_rng(seed)
        which = random.choice(len(self.shares), count, p=self.shares)
        points = random.standard_normal((count, 3))
        return numpy.einsum("ijk,ik->ij", numpy.linalg.cholesky(self.covariances)[which], points) + self.centres[which]

    def smoothed(self, points, H=0):
        """Returns the density's convolution with a normal density of covariance H."""
        C = self.covariances + H
        form = -0.5 * numpy.linalg.inv(C)
        parts = numpy.column_stack([self.shares * height(C), self.centres, form[:, 0, 0], form[:, 1, 1], form[:, 2, 2],
                                    2 * form[:, 0, 1], 2 * form[:, 0, 2], 2 * form[:, 1, 2]])
        out = numpy.zeros(len(points))
        LIBRARY.normals(pointer(numpy.ascontiguousarray(points.T)), ctypes.c_long(len(points)), pointer(parts),
                        ctypes.c_long(len(parts)), pointer(out))
        return out


def box_probability(lower, upper, R):
    """Probabilities that normal variables of correlation R are between bounds of (n, 3) deviations.

    By Plackett's identity: the derivative in a correlation is a sum of bivariate densities at the edges times
    probabilities on the third axis. It is integrated over correlations from 0 to R.
    """
    ndtr = scipy.special.ndtr
    total = numpy.prod(ndtr(upper) - ndtr(lower), axis=1)
    for node, weight in zip(*numpy.polynomial.legendre.leggauss(8)):
        t = (1 + node) / 2
        for i, j, k in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
            r, pull = t * R[i, j], numpy.linalg.solve([[1, t * R[i, j]], [t * R[i, j], 1]], [t * R[k, i], t * R[k, j]])
            s = numpy.sqrt(1 - pull @ [t * R[k, i], t * R[k, j]])
            for sign, a, b in ((1, upper, upper), (1, lower, lower), (-1, upper, lower), (-1, lower, upper)):
                a, b = a[:, i], b[:, j]
                if not (numpy.isfinite(a).all() and numpy.isfinite(b).all()):
                    continue
                edge = numpy.exp(-(a * a - 2 * r * a * b + b * b) / (2 * (1 - r * r))) / (2 * numpy.pi * numpy.sqrt(1 - r * r))
                mean = pull[0] * a + pull[1] * b
                total += weight / 2 * R[i, j] * sign * edge * (ndtr((upper[:, k] - mean) / s) - ndtr((lower[:, k] - mean) / s))
    return total


class Cube:
    """The uniform density between -1 and 1."""
    square = 1 / 8

    def draw(self, count, seed):
        """Draws samples."""
        return numpy.random.default_rng(seed).uniform(-1, 1, (count, 3))

    def smoothed(self, points, H):
        """Returns the density's convolution with a normal density of covariance H."""
        s = numpy.sqrt(numpy.diag(H))
        return box_probability((-1 - points) / s, (1 - points) / s, H / numpy.outer(s, s)) / 8


class Octant:
    """The density exp(-x-y-z) where x, y and z are positive."""
    square = 1 / 8

    def draw(self, count, seed):
        """Draws samples."""
        return numpy.random.default_rng(seed).exponential(1, (count, 3))

    def smoothed(self, points, H):
        """Returns the density's convolution with a normal density of covariance H."""
        s, shift = numpy.sqrt(numpy.diag(H)), H.sum(1)
        lower = (shift - points) / s
        factor = numpy.exp(shift.sum() / 2 - points.sum(1))
        return factor * box_probability(lower, numpy.full_like(lower, numpy.inf), H / numpy.outer(s, s))


def error(density, points, H):
    """The integrated squared error of the samples' Gaussian-kernel density, as a share of the density's squared integral."""
    return (squared(points, H) - 2 * density.smoothed(points, H).mean()) / density.square + 1


def sharp_error(density, points, H):
    """The same of the sharpened samples."""
    return error(density, sharpened(points, H), H)


def least(density, points, S, guess, measure=error):
    """Returns the h of least error for H = h^2 S, and that error. The guess is rather too large: h is sought down to its fiftieth."""
    def at(x):
        return measure(density, points, numpy.exp(2 * x) * S)
    scan = numpy.log(guess) + numpy.linspace(-4, 0.75, 13)
    best = int(numpy.argmin([at(x) for x in scan]))
    assert 0 < best < len(scan) - 1, f"the least error is at the end of the range around {guess}"
    found = scipy.optimize.minimize_scalar(at, bounds=(scan[best - 1], scan[best + 1]), method="bounded", options={"xatol": 0.01})
    return float(numpy.exp(found.x)), float(found.fun)


def ball(deviation):
    """The covariance of a spherical component."""
    return deviation**2 * numpy.eye(3)


def axes(x, y, z, tilt=0.0):
    """A covariance with these deviations; `tilt` correlates x and y."""
    c = numpy.diag([x**2, y**2, z**2]).astype(float)
    c[0, 1] = c[1, 0] = tilt * x * y
    return c


def along(direction, length, width):
    """The covariance of a needle (length > width) or a disc along or across a direction."""
    d = numpy.array(direction, float) / numpy.linalg.norm(direction)
    return width**2 * numpy.eye(3) + (length**2 - width**2) * numpy.outer(d, d)


def alike(centres, covariance):
    """Components of one size."""
    return Mixture(numpy.ones(len(centres)), centres, [covariance] * len(centres))


def sphere_points(count):
    """Points on the unit sphere by a golden spiral."""
    z = 1 - (2 * numpy.arange(count) + 1) / count
    turn = numpy.pi * (3 - numpy.sqrt(5)) * numpy.arange(count)
    return numpy.stack([numpy.sqrt(1 - z * z) * numpy.cos(turn), numpy.sqrt(1 - z * z) * numpy.sin(turn), z], axis=1)


def student(degrees):
    """Student's t as a mixture over x = log(chi^2): the trapezoidal rule, which is exact to 1e-9 for such a product."""
    x = numpy.arange(-14, 5, 0.4)
    shares = numpy.exp(degrees / 2 * x - numpy.exp(x) / 2)
    return Mixture(shares, numpy.zeros((len(x), 3)), degrees * numpy.exp(-x)[:, None, None] * numpy.eye(3))


TURN = 2 * numpy.pi * numpy.arange(128) / 128
WINDING = 4 * numpy.pi * (numpy.arange(200) - 99.5) / 200
CORNERS = numpy.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
ORIGIN = [0, 0, 0]
DENSITIES = {
    "normal": Mixture([1], [ORIGIN], [ball(1)]),
    "correlated": Mixture([1], [ORIGIN], [axes(1, 1, 1, 0.7)]),
    "skewed": Mixture([0.3, 0.3, 0.4], [ORIGIN, [0.7] * 3, [1.2] * 3], [ball(1), ball(0.8), ball(0.6)]),
    "kurtotic": Mixture([0.67, 0.33], [ORIGIN, ORIGIN], [ball(1), ball(0.4)]),
    "bimodal": alike([[-1, 0, 0], [1, 0, 0]], ball(0.67)),
    "separated": alike([[-1.5, 0, 0], [1.5, 0, 0]], axes(0.5, 1, 1)),
    "unequal": Mixture([0.75, 0.25], [[-1, 0, 0], [1.5, 1, 0]], [ball(0.8), ball(0.4)]),
    "trimodal": Mixture([0.4, 0.4, 0.2], [[-1, 0, 0], [1, 1, 0], [0, -1, 1]], [ball(0.6)] * 3),
    "tetrahedron": alike(CORNERS, ball(0.5)),
    "ring": alike([[1.5 * numpy.cos(a), 1.5 * numpy.sin(a), 0] for a in TURN[::16]], ball(0.4)),
    "crossed": Mixture([1, 1], [ORIGIN, ORIGIN], [axes(1.5, 0.4, 0.4), axes(0.4, 0.4, 1.5)]),
    "tilted pair": Mixture([1, 1], [[-0.8, 0, 0], [0.8, 0, 0]], [axes(0.7, 0.7, 0.7, 0.6), axes(0.7, 0.7, 0.7, -0.6)]),
    "layers": alike([[0, 0, 1.5 * i] for i in range(-2, 3)], axes(1, 1, 0.15)),
    "crossed sheets": Mixture([1, 1], [ORIGIN, ORIGIN], [axes(1.5, 1.5, 0.15), axes(0.15, 1.5, 1.5)]),
    "filaments": Mixture([1, 1, 1], [ORIGIN, [1.5, 0, 0], [0, 1.5, 1]], [axes(1, 0.1, 0.1), axes(0.1, 1, 0.1), axes(0.1, 0.1, 1)]),
    "thin ring": alike(1.5 * numpy.stack([numpy.cos(TURN), numpy.sin(TURN), 0 * TURN], axis=1), ball(0.1)),
    "shell": Mixture(numpy.ones(300), 1.5 * sphere_points(300), [along(d, 0.1, 0.25) for d in sphere_points(300)]),
    "helix": alike(numpy.stack([numpy.cos(WINDING), numpy.sin(WINDING), WINDING / 6], axis=1), ball(0.1)),
    "two scales": Mixture([0.7, 0.3], [ORIGIN, [2, 0, 0]], [ball(1), ball(1 / 30)]),
    "student t": student(3),
    "cube": Cube(),
    "octant": Octant(),
    "five clusters": Mixture([0.3, 0.25, 0.2, 0.15, 0.1], [ORIGIN, [3, 0, 0], [0, 3, 0], [0, 0, 3], [2, 2, 2]],
                             [ball(0.8), ball(0.5), axes(0.3, 0.3, 0.6), ball(0.2), ball(0.12)]),
    "tilted plane": Mixture([1], [ORIGIN], [along([1, 1, 1], 0.05, 1)]),
}
