#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/mixture/member.hpp"

namespace skde {

/// Moves `count` members from where they serve least to where the error is: drops those with the
/// least mass, and splits those with the largest share of the squared error in two along their
/// longest axis, so that mass, mean and covariance stay. `shares` holds one number per member.
/// `kernel` is the kernel's part of covariances, in squared cells.
void move_members(std::vector<Member>& members, std::span<const double> shares, std::size_t count,
                  const Symmetric3& kernel);

}  // namespace skde
