#pragma once

#include "core/cloud/samples.hpp"
#include "core/kernel/mass_in_box.hpp"

namespace skde {

/// The samples of a cloud whose kernels may meet the faces of a box, kept for the next bandwidth:
/// all other kernels lie inside as a whole.
class FaceSamples {
 public:
  /// Returns what mass_in_box(mass, points) returns, to rounding. The points must not change before
  /// forget().
  MassInBox mass_in_box(const BoxMass& mass, const SamplesView& points, int threads);
  void forget() { *this = {}; }

 private:
  void keep(const SamplesView& points, const Box& deep);

  const double* points_ = nullptr;  ///< whose samples are kept
  std::size_t size_ = 0;
  Box deep_{};              ///< samples inside it are not kept
  double deep_weight_ = 0;  ///< of these
  Samples near_;            ///< all others, unless there are many
  bool has_near_ = false;
};

}  // namespace skde
