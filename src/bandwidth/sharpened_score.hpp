#pragma once

#include <cstdint>
#include <memory>

#include "bandwidth/cross_validation.hpp"
#include "core/space/grid.hpp"

namespace skde {

/// The samples that score a sharpened density: at most so many, drawn at random. With images at
/// faces, which may be many, there are fewer.
inline constexpr std::uint64_t kMostSharpened = 8000, kMostSharpenedInBox = 1500;

/// Exponent p in h ~ n^-p: the bias of a sharpened density is of the fourth order, so that its
/// squared error a h^8 + b / (n h^3) is least at h ~ n^(-1/11) (Choi and Hall, Biometrika 86,
/// 1999). Without sharpening it is 1/7.
inline constexpr double kSharpenedExponent = 1.0 / 11;

/// Least-squares cross-validation of a sharpened density, by five folds: the integral of f^2 less
/// 2 sum_i w_i f_-k(x_i) / W, where f is the sharpened density of all samples, k the fold of sample
/// i, and f_-k the density of the other folds, sharpened without fold k. Samples are put into folds
/// at random, whatever their order. The kernel is the Gaussian. The images of samples at the
/// faces of a box count, as far as four deviations of Silverman's kernel from it. Sums are over
/// all pairs, in float, so that it is meant for some thousand samples.
std::unique_ptr<BandwidthScore> sharpened_score(const ScoredSamples& cloud,
                                                const Boundaries& boundaries = {},
                                                const Box& box = {});

}  // namespace skde
