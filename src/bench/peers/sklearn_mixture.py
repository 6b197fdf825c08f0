"""GaussianMixture of scikit-learn: K Gaussians by expectation-maximisation, from its own k-means.

usage: sklearn_mixture.py JOB.json
The job: {"samples": path of an array (N, 3), "members": K, "seed": S, "threads": T, 0 for all}. Prints lines of JSON:
  {"made_by": "scikit-learn 1.2.1, ..."}
  {"seconds": seconds}   of the fit
  {"member": [mass, x, y, z, xx, xy, xz, yy, yz, zz]}   one for each, of masses that sum to 1
"""

import json
import os
import sys
import time

with open(sys.argv[1]) as file:
    job = json.load(file)
if job["threads"]:
    os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(job["threads"])))

import numpy
import sklearn
from sklearn.mixture import GaussianMixture


def main():
    samples = numpy.load(job["samples"])
    shift = samples.mean(axis=0)
    model = GaussianMixture(job["members"], random_state=job["seed"])
    begin = time.perf_counter()
    model.fit(samples - shift)
    seconds = time.perf_counter() - begin
    print(json.dumps({"made_by": f"scikit-learn {sklearn.__version__}, {model.n_iter_} iterations"}))
    print(json.dumps({"seconds": seconds}))
    upper = numpy.triu_indices(3)
    for mass, mean, covariance in zip(model.weights_, model.means_ + shift, model.covariances_):
        print(json.dumps({"member": [float(mass), *mean.tolist(), *covariance[upper].tolist()]}))


if __name__ == "__main__":
    main()
