#pragma once

#include <cstdint>

#include "core/boundary.hpp"
#include "core/kernel_shape.hpp"
#include "core/samples.hpp"

namespace skde {

/// What of samples and their kernels lies in a box.
struct MassInBox {
  double weight = 0;          ///< sum of w_i times the share of kernel i that is inside
  std::uint64_t outside = 0;  ///< samples with a weight that lie outside themselves
  std::uint64_t beyond = 0;   ///< those of them that lie beyond a face at which the box ends

  MassInBox& operator+=(const MassInBox& other);
};

/// The integrals of the kernels over the box, whatever cells it has, as KernelMass finds them; of
/// more than some thousand that meet edges or corners, so many spread over them stand for all.
/// Faces that reflect or renormalise keep all of the kernels of samples between them, and nothing
/// of others; periodic ones keep all. The result does not depend on the number of threads (0: one a
/// core).
MassInBox mass_in_box(const Kernel& kernel, const Box& box, const SamplesView& points,
                      const Boundaries& boundaries = {}, int threads = 0);

}  // namespace skde
