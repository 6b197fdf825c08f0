#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/cloud/samples.hpp"

namespace skde {

/// A summary of the bandwidth factors or shapes of samples that arrive in parts.
class ShapeSummary {
 public:
  void add(const SamplesView& points);

  bool has_shapes() const { return has_shapes_; }
  /// The weighted mean of H_i; requires shapes.
  Symmetric3 mean() const { return (1 / weight_) * sum_; }
  /// The largest along each axis: sqrt(H_ii) of shapes, or factors; 1 if samples have neither.
  Vec3 largest() const { return shaped_ > 0 ? largest_ : Vec3{1, 1, 1}; }
  /// The smallest bandwidth factor; 1 if samples have none.
  double least() const { return least_ < kNoWidth ? least_ : 1; }
  /// As largest(), but without the 1 % of samples that have the largest; within a tenth.
  Vec3 inner() const;

 private:
  static constexpr int kSteps = 1024;  ///< each an eighth of an octave, with 1 in the middle

  bool has_shapes_ = false;
  std::uint64_t shaped_ = 0;
  double weight_ = 0;
  Symmetric3 sum_;
  Vec3 largest_;
  static constexpr double kNoWidth = std::numeric_limits<double>::infinity();
  double least_ = kNoWidth;
  /// By step of the logarithm, along each axis; empty if no sample has a factor or shape.
  std::vector<std::array<std::uint64_t, kSteps>> counts_;
};

}  // namespace skde
