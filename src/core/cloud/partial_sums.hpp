#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/cloud/exact_moments.hpp"
#include "core/cloud/exact_sum.hpp"
#include "core/grid.hpp"
#include "core/kernel/kernel_shape.hpp"

namespace skde {

/// What decides the bits of a partial sum besides its samples: sums of unlike ones do not go
/// together.
struct PartialProblem {
  Grid grid;
  Kernel kernel;
  Precision precision = Precision::f32;  ///< of the volume that the sums become
  /// A sample adds the nearest integer to 2^binary_digits w_i k(q_i) to each cell, and so do
  /// its images.
  int binary_digits = 0;
  Boundaries boundaries{};  ///< at the faces of the grid
  /// What these make of a weight at the most: of each image, and of all of them together.
  double growth = 1;

  /// The factor from sums to a density of samples of this weight in all.
  double unit(double total_weight) const;
  friend bool operator==(const PartialProblem&, const PartialProblem&) = default;
};

/// The binary digits for samples whose weights are up to `largest` and `total` in all: as many as
/// leave each term within 51 bits and each sum within 62.
int binary_digits_for(double largest, double total);

/// The same where nothing is known of the samples beforehand but that they have no weights: for up
/// to this many.
inline constexpr double kMostUncountedSamples = 0x1p40;
inline int binary_digits_uncounted() { return binary_digits_for(1, kMostUncountedSamples); }

/// More parts than anybody makes of a cloud.
inline constexpr std::int64_t kMostParts = 1 << 24;

/// Which samples a partial sum holds: part `part` of `parts` (from 1) of these inputs.
struct PartialPiece {
  std::vector<std::string> inputs;
  std::uint64_t part = 1, parts = 1;

  friend bool operator==(const PartialPiece&, const PartialPiece&) = default;
};

/// Rows that were read for a sum, and those of them that are no samples.
struct PartialRows {
  std::uint64_t rows = 0, non_finite = 0, zero_weight = 0, left_out = 0;
  /// Samples, but beyond a face at which the box ends: they add nothing.
  std::uint64_t beyond = 0;

  friend bool operator==(const PartialRows&, const PartialRows&) = default;
};

/// The samples of a part, or of parts that were merged.
struct PartialCloud {
  ExactMoments moments;
  bool weighted = false;
  PartialRows rows;
  std::vector<PartialPiece> pieces;
  std::string units;
  std::array<std::string, 3> axis_names{};
  std::string frame{};  ///< what coordinates were made of; empty: they are those of files
  std::string where{};  ///< the condition on columns by which rows were left out; empty: none
  std::string version;  ///< of the program that read them

  friend bool operator==(const PartialCloud&, const PartialCloud&) = default;
};

/// All that a partial sum says of itself.
struct PartialHead {
  PartialProblem problem;
  PartialCloud cloud;
  /// Weight of what of the kernels lies outside of the box.
  ExactSum outside;
  double h = 0;  ///< 0 where H was not made from an h
  std::string bandwidth_source;

  friend bool operator==(const PartialHead&, const PartialHead&) = default;
};

/// The sums of a density over some of the samples, in integers that add up to the same bits
/// however the samples are divided.
struct PartialSums {
  PartialHead head;
  std::vector<std::int64_t> sums;  ///< x fastest
  std::string summed_by{};         ///< for reports; not of sums from files
};

/// Error(input) that names `other` and what it has unlike `first`: `head` and what `more` says
/// do not go together.
void require_like(const PartialHead& head, const std::string& first, const PartialHead& more,
                  const std::string& other);
void require_like(const PartialCloud& cloud, const std::string& first, const PartialCloud& more,
                  const std::string& other);
/// Takes over the samples of another.
void merge_clouds(PartialCloud& cloud, const PartialCloud& more);
/// Error(input) where the same part is there twice, or, of `whole` clouds, some part is not.
void check_pieces(const PartialCloud& cloud, bool whole);
/// Error(input) where the samples are more than the sums have digits for; `file` names them.
void require_digits(const PartialHead& head, const std::string& file);

}  // namespace skde
