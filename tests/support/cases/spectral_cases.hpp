#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "core/cloud/samples.hpp"
#include "core/problem.hpp"
#include "core/volume.hpp"
#include "engines/engine.hpp"

namespace skde::test {

/// A problem with a tolerance and a cloud for engines that approximate.
struct SpectralCase {
  std::string name;
  Problem problem;
  Samples cloud;
};

/// True where the engine cannot run here; the test then returns.
bool skips_spectral();
EngineOptions threads_of(int threads);

/// Drawn from the seed: turned, unlike half axes from thin to wide, odd grids, samples inside and
/// outside the box, weights in half of the cases, tolerances from 1e-3 to 1e-6 and to 1e-9 in
/// double.
SpectralCase spectral_case_of(std::uint64_t seed);

/// The volume of a cloud that is added in parts.
Volume run_in_parts(std::string_view engine, const EngineOptions& options, const Problem& problem,
                    std::initializer_list<SamplesView> parts);

Samples reversed_of(const Samples& samples);

/// In so many cases, no cell of those that the engine offers to serve is off by more than the
/// tolerance, against the reference; most cases are served. Reports through Catch2.
void check_tolerances(std::string_view engine, const EngineOptions& options, int cases);

}  // namespace skde::test
