"""gaussian_kde of scipy. Its kernel is a Gaussian whose covariance is h^2 times that of the samples."""

import peer_run  # first, because it limits the threads of the other imports

import scipy
from scipy.stats import gaussian_kde


def fit(samples, weights, case):
    kernels = gaussian_kde(samples.T, bw_method=case.h, weights=weights)
    return lambda centres: kernels(centres.T)


if __name__ == "__main__":
    made_by = f"scipy {scipy.__version__}, Gaussian kernel with covariance h^2 S: another density"
    peer_run.run(lambda case: peer_run.Estimator(fit, made_by, case))
