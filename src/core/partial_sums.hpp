#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/cloud/exact_sum.hpp"
#include "core/cloud/moment_sums.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/space/grid.hpp"

namespace skde {

/// Everything besides the samples that decides the bits of a partial sum. Sums can be merged only
/// if their problems are equal.
struct PartialProblem {
  Grid grid;
  Kernel kernel;
  Precision precision = Precision::f32;  ///< of the volume computed from the sums
  /// A sample adds the integer nearest to 2^binary_digits w_i k(q_i) to each cell, and so does each
  /// of its images.
  int binary_digits = 0;
  Boundaries boundaries{};  ///< at the faces of the grid
  /// The most by which the boundaries may multiply a weight: for each image, and for all together.
  double growth = 1;

  /// Returns the factor from the sums to a density of samples with this total weight.
  double unit(double total_weight) const;
  friend bool operator==(const PartialProblem&, const PartialProblem&) = default;
};

/// Returns the number of binary digits for samples with weights up to `largest` and a total up to
/// `total`: the most that keep each term within 51 bits and each sum within 62.
int binary_digits_for(double largest, double total);

/// The number of samples to allow for if nothing is known of them except that they have no weights.
inline constexpr double kMostUncountedSamples = 0x1p40;

/// Upper limit on the number of parts of a cloud.
inline constexpr std::int64_t kMostParts = 1 << 24;

/// The samples that a partial sum holds: part `part` of `parts` (from 1) of these inputs.
struct PartialPiece {
  std::vector<std::string> inputs;
  std::uint64_t part = 1, parts = 1;

  friend bool operator==(const PartialPiece&, const PartialPiece&) = default;
};

/// Counts of the rows read for a sum, and of those rows that are not samples.
struct PartialRows {
  std::uint64_t rows = 0, non_finite = 0, zero_weight = 0, left_out = 0;
  /// Samples beyond a face at which the box ends; they add nothing.
  std::uint64_t beyond = 0;

  friend bool operator==(const PartialRows&, const PartialRows&) = default;
};

/// The samples of one part, or of several merged parts.
struct PartialCloud {
  ExactMoments moments;
  bool weighted = false;
  PartialRows rows;
  std::vector<PartialPiece> pieces;
  std::string units;
  std::array<std::string, 3> axis_names{};
  std::string frame{};  ///< what coordinates are made of; empty if read from files
  std::string where{};  ///< condition on columns by which rows were left out; empty if none
  std::string version;  ///< of the program that read the samples

  friend bool operator==(const PartialCloud&, const PartialCloud&) = default;
};

/// The description of a partial sum.
struct PartialHead {
  PartialProblem problem;
  PartialCloud cloud;
  /// Weight of the kernels' mass outside the box.
  ExactSum outside;
  double h = 0;  ///< 0 if H was not made from an h
  std::string bandwidth_source;

  friend bool operator==(const PartialHead&, const PartialHead&) = default;
};

/// The sums of a density over some of the samples, as integers. They add up to the same bits
/// however the samples are divided.
struct PartialSums {
  PartialHead head;
  std::vector<std::int64_t> sums;  ///< x fastest
  std::string summed_by{};         ///< for reports; empty for sums from files
};

/// Throws Error(input) if `head` and `more` cannot be merged. The error names `other` and how it
/// differs from `first`.
void require_like(const PartialHead& head, const std::string& first, const PartialHead& more,
                  const std::string& other);
void require_like(const PartialCloud& cloud, const std::string& first, const PartialCloud& more,
                  const std::string& other);
/// Merges the samples of `more` into `cloud`.
void merge_clouds(PartialCloud& cloud, const PartialCloud& more);
/// Throws Error(input) if a part occurs twice or, with `whole`, if a part is missing.
void check_pieces(const PartialCloud& cloud, bool whole);
/// Throws Error(input), which names `file`, if the samples exceed the range of the sums' integers.
void require_digits(const PartialHead& head, const std::string& file);

}  // namespace skde
