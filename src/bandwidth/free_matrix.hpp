#pragma once

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "core/space/space.hpp"

namespace skde {

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
