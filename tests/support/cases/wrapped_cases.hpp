#pragma once

#include <cstdint>
#include <string_view>

#include "support/cases/spectral_cases.hpp"
#include "support/references/boundary_reference.hpp"

namespace skde::test {

/// A case of the spectral engines whose box repeats along some axes, one at least. Its samples lie
/// within a box's length of the box there.
struct WrappedCase {
  SpectralCase of;
  BoundaryCase reference;
};

/// Drawn from the seed.
WrappedCase wrapped_case_of(std::uint64_t seed);

/// The largest error of a cell, as a share of the peak, against the reference.
double wrapped_error(std::string_view engine, const EngineOptions& options,
                     const WrappedCase& wrapped);

}  // namespace skde::test
