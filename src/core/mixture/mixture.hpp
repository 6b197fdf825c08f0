#pragma once

#include <cstddef>

#include "core/cloud/samples.hpp"
#include "core/space/space.hpp"

namespace skde {

/// A density as a sum of K Gaussians: m(x) = sum_k mass_k N(x; mean_k, C_k).
struct Mixture {
  /// The means as positions, the masses as weights, and the covariances C_k as shapes (6 doubles
  /// per member, squared world units).
  Samples members{};
  /// The kernel's part of every C_k, in squared world units: C_k - H is the covariance of the data
  /// that a member stands for. For any other kernel H2, the density is that of C_k - H + H2.
  Symmetric3 H{};

  /// Number of members, K.
  std::size_t size() const { return members.size(); }
};

}  // namespace skde
