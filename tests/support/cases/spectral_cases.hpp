#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "core/cloud/samples.hpp"
#include "core/problem.hpp"
#include "core/space/volume.hpp"
#include "engines/engine.hpp"

namespace skde::test {

/// A problem with a tolerance and a cloud for engines that approximate.
struct SpectralCase {
  std::string name;
  Problem problem;
  Samples cloud;
};

/// Returns true, and skips the test, if the engine cannot run here.
bool skips_spectral();
EngineOptions threads_of(int threads);

/// Returns a random case for the seed: rotated kernels with unequal half axes from thin to wide,
/// odd grids, samples inside and outside the box, weights in half of the cases, and tolerances from
/// 1e-3 to 1e-6, or to 1e-9 in double.
SpectralCase spectral_case_of(std::uint64_t seed);

/// Returns the volume of a cloud added in parts.
Volume run_in_parts(std::string_view engine, const EngineOptions& options, const Problem& problem,
                    std::initializer_list<SamplesView> parts);

Samples reversed_of(const Samples& samples);

/// Checks that in `cases` cases no cell differs from the reference by more than the tolerance if
/// the engine offers to serve the case, and that most cases are served. Reports through Catch2.
void check_tolerances(std::string_view engine, const EngineOptions& options, int cases);

}  // namespace skde::test
