#pragma once

#include <cstdint>

#include "bench/results/results.hpp"
#include "core/problem.hpp"
#include "core/report/progress.hpp"
#include "engines/engine_options.hpp"

namespace skde::bench {

/// Steps of members with the same deviation, at random places of a cube of cells.
struct StepCase {
  std::size_t members = 40960;
  std::int64_t cells = 256;  ///< along each side
  double deviation = 4;      ///< of a member, in cells
  double tolerance = 3e-2;   ///< of the cut of Gaussians: that of a fit
  int repetitions = 10;      ///< of the whole step, and as many of its stages
  std::uint64_t seed = 1;
};

/// Measures a step of a fit on a device: sum, derive, gather and update, with the whole step and
/// each stage on its own. The stages have the least seconds of their repetitions. A device that is
/// not there, and too large a case, give a row with the reason.
Result measure_step(const StepCase& wanted, Device device, const EngineOptions& options,
                    Progress& progress);

}  // namespace skde::bench
