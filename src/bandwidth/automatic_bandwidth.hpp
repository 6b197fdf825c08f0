#pragma once

#include "bandwidth/data_driven_bandwidth.hpp"

namespace skde {

/// Chooses the bandwidth by the rule that suits the samples:
/// - `lscv`, by the score of the Gaussian (PairDistances);
/// - `plug-in` where the score has no minimum, or samples are tied or rounded, on which the score
///   would settle: a thousandth of them have the place of another, or h is below ten rounding
///   steps;
/// - Silverman's below 30 samples, where plug-in is below a rounding step, too, and where the
///   moments keep no samples.
/// The samples that the moments keep decide, and h is scaled to all by n_eff^(-1/7). So it takes
/// the same time for every cloud, and the same cloud has the same h on every machine, in memory and
/// in parts. The form of S, if it is left to the samples, is that of the least score; `free` then
/// finds all entries of H. The scores count the images of samples at faces. A
/// sharpened density has the score of its own (sharpened_score), after the form. For other kernels
/// h is scaled canonically (`judge`). Throws what select_bandwidth throws, and Error(cancelled).
DataDrivenBandwidth automatic_bandwidth(const Moments& moments, const DataDrivenSpec& spec,
                                        const DataDrivenEffort& effort, Progress& progress);

/// Returns the matrix H of Gaussians that minimises smoothed cross-validation over all six of its
/// entries, near `start`, in squared world units (SCV: Hall, Marron and Park 1992; for matrices
/// Duong and Hazelton 2005): R(k) / (n sqrt(det H)) plus the squared bias of a pilot with the
/// matrix 1.25^2 `start`. It varies less between clouds than the leave-one-out score with six
/// entries. It descends by BFGS over the Cholesky factor of H, with the exact gradient from one
/// pass over all pairs, so it wants some thousand samples. Throws Error(cancelled).
Symmetric3 smoothed_score_matrix(const SamplesView& samples, const Symmetric3& start, int threads,
                                 Progress& progress);

/// Returns by how many of its standard errors the least-squares score of Gaussians with the matrix
/// `a` exceeds that with `b`: of the mean of the samples' shares in the difference, twice their
/// deviation over the root of their number, as each counts in two of a pair (Hoeffding 1948).
double score_excess(const SamplesView& samples, const Symmetric3& a, const Symmetric3& b,
                    int threads);

}  // namespace skde
