#pragma once

#include <optional>
#include <span>

#include "core/cloud/samples.hpp"
#include "core/kernel/kernel_shape.hpp"

namespace skde {

/// How far from the box of points a sample may lie that counts there, with room for rounding.
Vec3 reach_about_points(const Kernel& kernel);

/// The samples that may count at points (3 doubles each): those within reach of their box, or all
/// if samples have kernels of their own. Sums over these have the same bits whichever of the other
/// samples are left out before.
class NearSamples {
 public:
  NearSamples(const Kernel& kernel, const SamplesView& samples, std::span<const double> points);
  SamplesView view() const { return some_ ? some_->view() : all_; }

 private:
  SamplesView all_;
  std::optional<Samples> some_;  ///< set if it is not all
};

}  // namespace skde
