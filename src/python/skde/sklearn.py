"""scikit-learn's KernelDensity, with the sums of skde.

>>> import numpy as np
>>> from skde.sklearn import KernelDensity
>>> X = np.random.default_rng(1).normal(size=(1000, 3))
>>> KernelDensity(kernel="epanechnikov", bandwidth=0.5).fit(X).score_samples(X[:2]).shape
(2,)
"""

import numpy as np
from sklearn.neighbors import KernelDensity as _KernelDensity
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from ._session import Session

__all__ = ["KernelDensity"]

try:
    from sklearn.utils.validation import validate_data as _validated
except ImportError:  # scikit-learn before 1.6

    def _validated(estimator, X, **options):
        return estimator._validate_data(X, **options)


_KERNELS = {"tophat": "uniform"}  # others have one name
_LEAST, _MOST = 1e-100, 1e100  # whose squares and cubes are numbers
_TRAINED = ("_positions", "_weights")


class KernelDensity(_KernelDensity):
    """scikit-learn's :class:`sklearn.neighbors.KernelDensity`; skde sums where it can.

    Samples of 3 features with the Euclidean metric go through skde, for all six kernels, with
    weights, in double: H is bandwidth^2 times the unit matrix. Anything else goes through
    scikit-learn. Scores are sums over all samples, so that `atol`, `rtol`, `algorithm`, `leaf_size`
    and `breadth_first` do not change them; those of scikit-learn's trees lose digits where densities
    are small, and may be -inf there. Parameters, attributes, errors and the draws of `sample` are
    scikit-learn's. `tree_` is built when it is asked for.
    """

    def fit(self, X, y=None, sample_weight=None):
        """Fits the model; see :meth:`sklearn.neighbors.KernelDensity.fit`."""
        for name in (*_TRAINED, "_session", "_tree"):
            self.__dict__.pop(name, None)
        self._validate_params()
        self._choose_algorithm(self.algorithm, self.metric)
        positions = _validated(self, X, order="C", dtype=np.float64)
        if positions.shape[1] != 3 or not self._is_euclidean():
            return super().fit(X, y, sample_weight)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, positions, np.float64, only_non_negative=True)
            sample_weight = np.array(sample_weight)
        self._positions, self._weights = np.array(positions), sample_weight
        count = len(positions)
        rules = {"scott": lambda: count ** (-1 / 7), "silverman": lambda: (count * 5 / 4) ** (-1 / 7)}
        self.bandwidth_ = rules[self.bandwidth]() if isinstance(self.bandwidth, str) else self.bandwidth
        return self

    def score_samples(self, X):
        """The logarithm of the density at each row of X; see
        :meth:`sklearn.neighbors.KernelDensity.score_samples`."""
        check_is_fitted(self)
        if not self._is_served():
            return super().score_samples(X)
        X = _validated(self, X, order="C", dtype=np.float64, reset=False)
        session = self.__dict__.get("_session")
        if session is None:
            session = self._session = Session(self._positions, self._weights)
        return session.evaluate(X, log=True, kernel=_KERNELS.get(self.kernel, self.kernel),
                                bandwidth=np.eye(3) * float(self.bandwidth_) ** 2, precision="f64", engine="ranges")

    @property
    def tree_(self):
        """scikit-learn's tree of the samples."""
        if "_tree" not in self.__dict__:
            if "_positions" not in self.__dict__:
                raise AttributeError("tree_")
            from sklearn.neighbors import BallTree, KDTree

            make = {"ball_tree": BallTree, "kd_tree": KDTree}[self._choose_algorithm(self.algorithm, self.metric)]
            self._tree = make(self._positions, metric=self.metric, leaf_size=self.leaf_size,
                              sample_weight=self._weights, **(self.metric_params or {}))
        return self._tree

    @tree_.setter
    def tree_(self, tree):
        self._tree = tree

    def _is_euclidean(self):
        rest = dict(self.metric_params or {})
        if self.metric in ("minkowski", "p"):
            return rest.pop("p", 2) == 2 and not rest
        return self.metric in ("euclidean", "l2") and not rest

    def _is_served(self):
        if "_positions" not in self.__dict__ or not _LEAST < self.bandwidth_ < _MOST:
            return False
        return self._weights is None or self._weights.sum() > 0

    def __getstate__(self):
        state = dict(super().__getstate__())
        state.pop("_session", None)  # which is opened again where it is used
        return state
