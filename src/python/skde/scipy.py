"""scipy's gaussian_kde, with the sums of skde.

>>> import numpy as np
>>> from skde.scipy import gaussian_kde
>>> xyz = np.random.default_rng(1).normal(size=(3, 1000))
>>> gaussian_kde(xyz)(xyz[:, :2]).shape
(2,)
"""

import numpy as np
from scipy import linalg, stats

from ._session import Session, plain

__all__ = ["gaussian_kde"]


class gaussian_kde(stats.gaussian_kde):
    """scipy's :class:`scipy.stats.gaussian_kde`; skde sums where there are 3 dimensions.

    Data of another number of dimensions, or of more digits than a double has, go through scipy. So do
    the draws of `resample`. Everything else that scipy's class has is as it is
    there, subclasses too.

    Parameters
    ----------
    dataset : array_like, (d, N)
        Samples in columns.
    bw_method, weights
        As scipy has them.
    tolerance : float
        What densities may differ by, as a share of the largest one, 1e-30 or more. Those of `logpdf`
        are exact. Default: 1e-6.
    """

    tolerance = 1e-6
    _session = _opened = None

    def __init__(self, dataset, bw_method=None, weights=None, *, tolerance=1e-6):
        self.tolerance = tolerance
        super().__init__(dataset, bw_method, weights)

    def evaluate(self, points):
        """The density at points, (d, M); see :meth:`scipy.stats.gaussian_kde.evaluate`."""
        served = self._served(points)
        if served is None:
            return super().evaluate(points)
        return self._density(served, self.covariance).astype(np.common_type(self.covariance, served), copy=False)

    __call__ = evaluate

    def pdf(self, x):
        """The density at points: :meth:`evaluate`."""
        return self.evaluate(x)

    def logpdf(self, x):
        """The logarithm of the density at points; see :meth:`scipy.stats.gaussian_kde.logpdf`."""
        served = self._served(x)
        if served is None:
            return super().logpdf(x)
        logs = self._density(served, self.covariance, log=True)
        return logs.astype(np.common_type(self.covariance, served), copy=False)

    def integrate_gaussian(self, mean, cov):
        """The integral of the density times a Gaussian; see
        :meth:`scipy.stats.gaussian_kde.integrate_gaussian`."""
        at, cov = np.atleast_1d(np.squeeze(mean)), np.atleast_2d(cov)
        if at.shape != (self.d,) or cov.shape != (self.d, self.d) or self._served(at) is None:
            return super().integrate_gaussian(mean, cov)
        both = self.covariance + cov
        linalg.cho_factor(both)  # LinAlgError as scipy's
        return self._density(np.array(at, dtype=float)[:, np.newaxis], both)[0]

    def integrate_box(self, low_bounds, high_bounds, maxpts=None, **options):
        """The mass in a box, within 1e-9; see :meth:`scipy.stats.gaussian_kde.integrate_box`."""
        low, high = (np.asarray(bounds, dtype=float) for bounds in (low_bounds, high_bounds))
        if low.shape != (3,) or high.shape != (3,) or not (low < high).all() or self._served(self.dataset) is None:
            return super().integrate_box(low_bounds, high_bounds, maxpts, **options)
        H = (self.covariance + self.covariance.T) / 2
        request = plain({"kernel": "gaussian", "bandwidth": H})
        return self._open_session()._held.mass_in(request, [*low, *high], None)[0]

    def integrate_kde(self, other):
        """The integral of the product with another density; see
        :meth:`scipy.stats.gaussian_kde.integrate_kde`."""
        if other.d != self.d or self._served(other.dataset) is None:
            return super().integrate_kde(other)
        return float(self._density(other.dataset, self.covariance + other.covariance) @ other.weights)

    def marginal(self, dimensions):
        """The density of some of the dimensions; see :meth:`scipy.stats.gaussian_kde.marginal`."""
        of = super().marginal(dimensions)
        return gaussian_kde(of.dataset, bw_method=of.covariance_factor(), weights=of.weights, tolerance=self.tolerance)

    def set_bandwidth(self, bw_method=None):
        """Chooses the bandwidth; see :meth:`scipy.stats.gaussian_kde.set_bandwidth`."""
        self._session = None
        super().set_bandwidth(bw_method)

    def _served(self, points):
        """The points as (3, M), or None where scipy has to take them or to refuse them."""
        points = np.atleast_2d(np.asarray(points))
        if points.shape == (1, self.d):
            points = points.reshape(self.d, 1)
        for array in (points, self.dataset):
            if array.shape[0] != 3 or array.dtype.kind not in "fiu" or array.dtype.itemsize > 8:
                return None
        if self.covariance.dtype != np.float64 or points.shape[1] == 0 or not np.isfinite(points).all():
            return None
        # Of such matrices skde's condition for a positive definite one fails, and digits are few.
        return points if np.linalg.cond(self.covariance) < 1e12 else None

    def _open_session(self):
        opened = self._opened
        if self._session is None or opened[0] is not self.dataset or opened[1] is not self.weights:
            self._opened = self.dataset, self.weights
            self._session = Session(np.array(self.dataset.T, dtype=np.float64, order="C"), self.weights)
        return self._session

    def _density(self, points, H, log=False):
        H = (H + H.T) / 2  # the last digits of a covariance may differ
        return self._open_session().evaluate(np.ascontiguousarray(points.T, dtype=np.float64), log=log, kernel="gaussian",
                                      bandwidth=H, tolerance=self.tolerance, precision="f64")

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name not in ("_session", "_opened")}
