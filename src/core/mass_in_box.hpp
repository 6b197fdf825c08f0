#pragma once

#include <cstdint>

#include "core/kernel_shape.hpp"
#include "core/samples.hpp"

namespace skde {

/// What of samples and their kernels lies in a box.
struct MassInBox {
  double weight = 0;          ///< sum of w_i times the share of kernel i that is inside
  std::uint64_t outside = 0;  ///< samples with a weight that lie outside themselves

  MassInBox& operator+=(const MassInBox& other);
};

/// The integrals of the kernels over the box, whatever cells it has. A kernel that meets one face,
/// or two opposite ones, is integrated by its marginal along that axis (to 1e-6 of it); one at an
/// edge or a corner by quadrature (to 1e-3); of more than some thousand of these, so many spread
/// over them stand for all. The result does not depend on the number of threads (0: one a core).
MassInBox mass_in_box(const Kernel& kernel, const Box& box, const SamplesView& points,
                      int threads = 0);

}  // namespace skde
