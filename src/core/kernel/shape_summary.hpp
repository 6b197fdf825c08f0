#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "core/cloud/samples.hpp"

namespace skde {

/// What the widths or shapes of samples come to, of as many parts as there are.
class ShapeSummary {
 public:
  void add(const SamplesView& points);

  bool has_shapes() const { return has_shapes_; }
  /// The mean of H_i over all weight; where samples have shapes.
  Symmetric3 mean() const { return (1 / weight_) * sum_; }
  /// Along each axis: sqrt(H_i) of shapes, or widths; 1 where samples have neither.
  Vec3 largest() const { return shaped_ > 0 ? largest_ : Vec3{1, 1, 1}; }
  /// The least width; 1 where samples have none.
  double least() const { return least_ < kNoWidth ? least_ : 1; }
  /// The same of all but the 1 % of samples that have the largest, within a tenth.
  Vec3 inner() const;

 private:
  static constexpr int kSteps = 1024;  ///< of an eighth of an octave, about 1 in the middle

  bool has_shapes_ = false;
  std::uint64_t shaped_ = 0;
  double weight_ = 0;
  Symmetric3 sum_;
  Vec3 largest_;
  static constexpr double kNoWidth = std::numeric_limits<double>::infinity();
  double least_ = kNoWidth;
  std::array<std::array<std::uint64_t, kSteps>, 3> counts_{};  ///< by step of the logarithm
};

}  // namespace skde
