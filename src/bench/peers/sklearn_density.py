"""KernelDensity of scikit-learn on whitened samples: with H = L L^T, u = L^-1 x has unit kernels, and the density of
x is that of u divided by det L."""

import peer_run  # first, because it limits the threads of the other imports

import numpy
import sklearn
from sklearn.neighbors import KernelDensity


def fit(samples, weights, case):
    L = numpy.linalg.cholesky(case.H)
    whiten = numpy.linalg.inv(L).T
    tree = KernelDensity(bandwidth=1, kernel="epanechnikov", algorithm="kd_tree", rtol=0, atol=0)
    tree.fit(samples @ whiten, sample_weight=weights)
    scale = 1 / numpy.prod(numpy.diag(L))
    return lambda centres: scale * numpy.exp(tree.score_samples(centres @ whiten))


if __name__ == "__main__":
    made_by = f"scikit-learn {sklearn.__version__}, kd_tree, rtol 0, atol 0"
    peer_run.run(lambda case: peer_run.Estimator(fit, made_by, case))
