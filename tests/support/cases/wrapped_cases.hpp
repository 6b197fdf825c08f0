#pragma once

#include <cstdint>
#include <string_view>

#include "support/cases/spectral_cases.hpp"
#include "support/references/boundary_reference.hpp"

namespace skde::test {

/// A case for spectral engines whose box repeats along at least one axis. Along these axes the
/// samples lie within one box length of the box.
struct WrappedCase {
  SpectralCase of;
  BoundaryCase reference;
};

/// Returns a random case for the seed.
WrappedCase wrapped_case_of(std::uint64_t seed);

/// Returns the largest error of a cell against the reference, as a share of the peak.
double wrapped_error(std::string_view engine, const EngineOptions& options,
                     const WrappedCase& wrapped);

}  // namespace skde::test
